// Completes package-lock.json for platforms other than this one: `npm run lock`; `-- --check` only tells what lacks.
//
// npm writes no entry for an optional package that its registry does not offer, and `npm ci` then fails wherever the
// registry does offer it. So each one gets an entry: its version is exact in the package that asks for it, its platform
// stands in its name. Addresses of registries go: whoever installs uses their own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{
 *   version?: string, resolved?: string, cpu?: string[], dev?: boolean, libc?: string[], link?: boolean,
 *   optional?: boolean, os?: string[], optionalDependencies?: Record<string, string>,
 * }} Entry
 * @typedef {{ packages: Record<string, Entry> }} Lock
 */

const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
  "windows",
];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
// As makers of packages write them, and as Node does.
const SPELLINGS = new Map([
  ["windows", "win32"],
  ["aarch64", "arm64"],
  ["armv7", "arm"],
]);
const LIBRARIES = /** @type {const} */ ([
  [/^gnu/, "glibc"],
  [/^musl/, "musl"],
]);

const isCheck = process.argv.includes("--check");
const [given] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const file = given ?? join(import.meta.dirname, "..", "package-lock.json");
/** @type {Lock} */
const lock = JSON.parse(readFileSync(file, "utf8"));
const additions = missingEntries(lock);
const addressed = Object.entries(lock.packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);

if (isCheck) {
  for (const path of Object.keys(additions)) console.error(`missing: ${path}`);
  for (const [path, { resolved }] of addressed) console.error(`names a registry: ${path} (${resolved})`);
  process.exitCode = Object.keys(additions).length === 0 && addressed.length === 0 ? 0 : 1;
} else {
  for (const [, entry] of addressed) delete entry.resolved;
  const packages = Object.entries({ ...lock.packages, ...additions });
  lock.packages = Object.fromEntries(packages.sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${Object.keys(additions).length} packages added, ${addressed.length} addresses removed.`);
}

/**
 * @param {Lock} lock
 * @returns {Record<string, Entry>}
 */
function missingEntries({ packages }) {
  /** @type {Record<string, Entry>} */
  const found = {};
  for (const [path, asking] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(asking.optionalDependencies ?? {})) {
      const places = placesOf(path, name);
      if (places.some((place) => packages[place] !== undefined)) continue;
      if (!/^\d/.test(version))
        throw new Error(`${path} asks for ${name} ${version}: only an exact version can be added`);
      found[places.at(-1) ?? name] = { version, ...platformOf(name), ...(asking.dev && { dev: true }), optional: true };
    }
  }
  return found;
}

/**
 * Where Node looks for a package, nearest first.
 *
 * @param {string} path
 * @param {string} name
 */
function placesOf(path, name) {
  const parts = path === "" ? [] : path.split("/");
  const folders = parts
    .map((_, index) => parts.slice(0, parts.length - index))
    .filter((folder) => folder.at(-1) !== "node_modules");
  return [...folders.map((folder) => [...folder, "node_modules", name].join("/")), `node_modules/${name}`];
}

/**
 * @param {string} name `@oxlint/binding-linux-arm-musleabihf`
 * @returns {Pick<Entry, "cpu" | "libc" | "os">}
 */
function platformOf(name) {
  const words = name.split(/[/-]/).map((word) => SPELLINGS.get(word) ?? word);
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (os === undefined && cpu === undefined)
    throw new Error(`${name} names no platform: add it to the lock file by hand`);
  const libc = LIBRARIES.find(([pattern]) => os === "linux" && words.some((word) => pattern.test(word)))?.[1];
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}
