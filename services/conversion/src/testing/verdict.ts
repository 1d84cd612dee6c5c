import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "@assistant/kit/wire/fault.js";
import { inspect } from "../inspection/inspect.js";

const samples = fileURLToPath(new URL("./samples/", import.meta.url));

/** The bytes of a sample: `formats/small.xls`. */
export function sample(path: string): Promise<Buffer> {
  return readFile(join(samples, path));
}

/** What inspection says of these bytes under this name: the format's extension, or the type of the violation. */
export async function verdict(bytes: Buffer | string, name: string): Promise<string> {
  const { extension, violation } = await inspection(bytes, name);
  return extension ?? violation?.type ?? "";
}

/** The only violation that inspection throws for these bytes, with its context. */
export async function refusal(bytes: Buffer | string, name: string): Promise<Fault["violations"][number]> {
  const { extension, violation } = await inspection(bytes, name);
  if (violation === undefined) throw new Error(`taken as ${extension}`);
  return violation;
}

interface Inspection {
  extension?: string;
  violation?: Fault["violations"][number] | undefined;
}

async function inspection(bytes: Buffer | string, name: string): Promise<Inspection> {
  const folder = await mkdtemp(join(tmpdir(), "assistant-inspection-"));
  const path = join(folder, "input");
  try {
    await writeFile(path, bytes);
    const { extension } = await inspect({ path, name, sizeBytes: Buffer.byteLength(bytes) });
    return { extension };
  } catch (error) {
    if (!(error instanceof Fault) || error.violations.length !== 1) throw error;
    return { violation: error.violations[0] };
  } finally {
    await rm(folder, { recursive: true });
  }
}
