import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../deploy/local/postgres.mjs";

const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

/** One Postgres server for all test files, in memory as far as its owner is concerned: it need not survive anything. */
export default async function start() {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  const folder = await mkdtemp(join(tmpdir(), "assistant-test-"));
  const said = [];
  const postgres = await startPostgres({ folder, log: (line) => said.push(line), settings: SETTINGS });
  process.env.TEST_POSTGRES_URL = postgres.url;
  // jest runs the setup and the teardown in one process.
  globalThis.testPostgres = { postgres };
}
