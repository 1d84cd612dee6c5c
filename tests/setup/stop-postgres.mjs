import { rm } from "node:fs/promises";

export default async function stop() {
  if (globalThis.testPostgres === undefined) return;
  const { postgres } = globalThis.testPostgres;
  await postgres.stop();
  await rm(postgres.folder, { recursive: true, force: true });
}
