import type { Engine } from "./engine.js";
import { noEngine, unsupported } from "./faults.js";
import type { Format, Target } from "./format.js";
import { formats } from "./inspection/formats.js";
import { convertible } from "./office/filters.js";

/** All engines that are open now; which those are may change from call to call. */
export type Engines = () => readonly Engine[];

/** The engine that converts a format now. Throws `unsupported` where nothing ever does, else `unavailable` if none is at work. */
export function chooseEngine(engines: Engines, target: Target, { extension }: Format): Engine {
  const engine = engineFor(engines, target, extension);
  if (engine !== undefined) {
    return engine;
  }
  const possible = possibleFor(target);
  throw possible.includes(extension) ? noEngine(extension) : unsupported(extension, possible);
}

/** Undefined if none converts it now. */
export function engineFor(engines: Engines, target: Target, extension: string): Engine | undefined {
  const able = engines().filter((engine) => engine.takes(target).has(extension));
  const names = isAlready(target, extension) ? ["basic"] : ORDER[target];
  return able.sort((one, other) => rank(names, one) - rank(names, other))[0];
}

/** Whether a file is what is asked for, so that it is handed back as it is. */
export function isAlready(target: Target, extension: string): boolean {
  return target === extension;
}

// Whoever sets the address of a Gotenberg wants it to do the work; it makes PDF only.
const ORDER: Readonly<Record<Target, readonly string[]>> = {
  pdf: ["gotenberg", "office", "basic"],
  xlsx: ["tables", "office", "basic"],
};

function rank(names: readonly string[], { name }: Engine): number {
  const at = names.indexOf(name);
  return at === -1 ? names.length : at;
}

/** What can be converted where everything is installed. */
function possibleFor(target: Target): string[] {
  const byOffice = convertible(target, true);
  const extensions = formats.map(({ extension }) => extension);
  return extensions.filter(
    (extension) => isAlready(target, extension) || byOffice.has(extension) || isTable(target, extension),
  );
}

function isTable(target: Target, extension: string): boolean {
  return target === "xlsx" && TABLES.has(extension);
}

const TABLES: ReadonlySet<string> = new Set(["csv", "tsv", "txt", "html"]);
