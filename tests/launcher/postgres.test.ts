import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { dropDatabases, openDatabases } from "../../deploy/local/databases.mjs";
import { startPostgres } from "../../deploy/local/postgres.mjs";

const SETTINGS = { fsync: "off" };
const MODULE = new URL("../../deploy/local/postgres.mjs", import.meta.url).href;

let folder: string;
const said: string[] = [];
const start = () => startPostgres({ folder, log: (line) => said.push(line), settings: SETTINGS });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assistant-platform-test-"));
  said.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("Postgres of our own", () => {
  test("keeps its data, password and port from one start to the next", async () => {
    const first = await start();
    await query(first.url, "create table kept (); comment on table kept is 'still here'");
    await first.stop();
    const second = await start();
    expect(second).toMatchObject({ url: first.url, adopted: false });
    expect(await query(second.url, "select obj_description('kept'::regclass) as text")).toEqual([
      { text: "still here" },
    ]);
    await second.stop();
  });

  test("lets nobody in without the password, and listens on this machine only", async () => {
    const postgres = await start();
    const bare = postgres.url.replace(/:[^:@]*@/, ":guess@");
    await expect(query(bare, "select 1")).rejects.toThrow(/password authentication failed/);
    expect(await query(postgres.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
    await postgres.stop();
  });

  test("orders texts the same on every machine", async () => {
    const postgres = await start();
    const [found] = await query(
      postgres.url,
      "select pg_encoding_to_char(encoding) as encoding, datcollate from pg_database",
    );
    expect(found).toEqual({ encoding: "UTF8", datcollate: "C" });
    await postgres.stop();
  });

  test("is taken over when whoever started it was killed and it lives on", async () => {
    const { pid, url } = await orphan();
    const postgres = await start();
    expect(postgres).toMatchObject({ pid, url, adopted: true });
    await postgres.stop();
    await postgres.ended;
    await expect(query(url, "select 1")).rejects.toThrow(/ECONNREFUSED/);
  });

  test("comes back at once after kill -9, with everything that was committed", async () => {
    const first = await start();
    await query(first.url, "create table written as select 42 as answer");
    process.kill(first.pid, "SIGKILL");
    await first.ended;
    const second = await start();
    expect(await query(second.url, "select answer from written")).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test("moves to another port when somebody has taken its own meanwhile", async () => {
    const first = await start();
    await first.stop();
    const blocker = createServer().listen(first.port, "127.0.0.1");
    await once(blocker, "listening");
    const second = await start();
    expect(second.port).not.toBe(first.port);
    await second.stop();
    blocker.close();
  });

  test("is not started on data of another major version", async () => {
    await (await start()).stop();
    await writeFile(join(folder, "data", "PG_VERSION"), "9\n");
    await expect(start()).rejects.toThrow(
      /was made by Postgres 9, .*: install Postgres 9, or start with another --data DIR/,
    );
  });

  test("is not fooled by a process number that belongs to another process by now", async () => {
    const first = await start();
    const note = join(folder, "data", "postmaster.pid");
    const lines = (await readFile(note, "utf8")).split("\n");
    await first.stop();
    await writeFile(note, [String(process.pid), ...lines.slice(1)].join("\n"));
    const second = await start();
    expect(second.adopted).toBe(false);
    await second.stop();
  });
});

describe("the databases of the services", () => {
  test("belong to owners, and services may read and write but not change the schema", async () => {
    const postgres = await start();
    const { shop } = await openDatabases(postgres.url, ["shop"], secretOf, holder);
    await query(shop.ownerUrl, "create table goods (id bigserial primary key, name text)");
    expect(await query(shop.url, "insert into goods (name) values ('tea') returning id::int")).toEqual([{ id: 1 }]);
    await expect(query(shop.url, "create table more ()")).rejects.toThrow(/permission denied/);
    await expect(query(shop.url, "truncate goods")).rejects.toThrow(/permission denied/);
    await postgres.stop();
  });

  test("are closed to the services of other databases", async () => {
    const postgres = await start();
    const { shop, bank } = await openDatabases(postgres.url, ["shop", "bank"], secretOf, holder);
    await expect(query(shop.url.replace(/shop$/, "bank"), "select 1")).rejects.toThrow(
      /permission denied for database/,
    );
    expect(await query(bank.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test("are not made by a user without the right, nor in place of somebody else's", async () => {
    const postgres = await start();
    await query(postgres.url, "create role weak login password 'weak'; create role shop");
    await query(postgres.url, "create database bank");
    const weak = postgres.url.replace(/\/\/[^@]*@/, "//weak:weak@");
    await expect(openDatabases(weak, ["other"], secretOf, holder)).rejects.toThrow(
      /weak of DATABASE_URL may not create/,
    );
    await expect(openDatabases(postgres.url, ["shop"], secretOf, holder)).rejects.toThrow(/already has a role shop/);
    await expect(openDatabases(postgres.url, ["bank"], secretOf, holder)).rejects.toThrow(
      /already has a database bank/,
    );
    await postgres.stop();
  });

  test("of another platform keep their passwords, and are named by its data folder", async () => {
    const postgres = await start();
    const { shop } = await openDatabases(postgres.url, ["shop"], secretOf, holder);
    const other = { id: "platform-2", folder: "/srv/two" };
    await expect(openDatabases(postgres.url, ["shop"], () => "stolen", other)).rejects.toThrow(
      /already has a role shop of the platform with its data in \/srv\/one: name another server/,
    );
    expect(await query(shop.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test("that were dropped leave no database and no role", async () => {
    const postgres = await start();
    await openDatabases(postgres.url, ["shop"], secretOf, holder);
    await dropDatabases(postgres.url, ["shop"]);
    expect(await query(postgres.url, "select from pg_database where datname = 'shop'")).toEqual([]);
    expect(await query(postgres.url, "select from pg_roles where rolname like 'shop%'")).toEqual([]);
    await postgres.stop();
  });
});

const holder = { id: "platform-1", folder: "/srv/one" };
const secretOf = (name: string) => `secret-${name}`;

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Started by a process that is then killed, on a system that does not tell children of it. */
async function orphan(): Promise<{ pid: number; url: string }> {
  const bin = await mkdtemp(join(tmpdir(), "assistant-platform-test-"));
  // Postgres' user looks there too.
  await chmod(bin, 0o755);
  for (const name of ["id", "test"]) await symlink(`/usr/bin/${name}`, join(bin, name));
  const script = `
    import { startPostgres } from ${JSON.stringify(MODULE)};
    const options = { folder: ${JSON.stringify(folder)}, log: () => {}, settings: { fsync: "off" } };
    const { pid, url } = await startPostgres(options);
    console.log(JSON.stringify({ pid, url }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env: { PATH: bin },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  await rm(bin, { recursive: true });
  return JSON.parse(String(text));
}
