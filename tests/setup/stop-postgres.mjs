import { rm } from "node:fs/promises";

export default async function stop() {
  if (globalThis.testPostgres === undefined) return;
  const { postgres, folder } = globalThis.testPostgres;
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
