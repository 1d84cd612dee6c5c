/** How many offices a machine can feed: one for each core, as long as there is memory for all of them. */
export function defaultSlots(machine: { cores: number; memoryBytes: number }): number {
  return Math.max(1, Math.min(machine.cores, Math.floor(machine.memoryBytes / SLOT_BYTES)));
}

const SLOT_BYTES = 1_200_000_000;
