import { readdir, readFile } from "node:fs/promises";

/** The numbers of the office programs that run below a folder of slots, whatever they see of the machine. */
export async function officeProcesses(folder: string): Promise<number[]> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const known = (await Promise.all(numbers.map(describe))).filter((one) => one !== undefined);
  // In the sandbox the office does not know where it is; the program that leads its group was told.
  const groups = new Set(known.filter(({ command }) => command.includes(folder)).map(({ group }) => group));
  return known
    .filter(({ group, command }) => groups.has(group) && command.includes("soffice.bin\0--"))
    .map(({ pid }) => pid);
}

interface Known {
  readonly pid: number;
  readonly group: number;
  readonly command: string;
}

async function describe(pid: number): Promise<Known | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const [, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, group: Number(group), command: await readFile(`/proc/${pid}/cmdline`, "latin1") };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}
