/** Wakes one loop. A ring while nobody waits is kept, any number of them as one. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, at once if it has rung since, at the latest after this time. */
  rung(timeoutMs: number): Promise<void>;
}

export function createBell(): Bell {
  let isRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      isRung = true;
      wake?.();
    },
    async rung(timeoutMs) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      isRung = false;
    },
  };
}
