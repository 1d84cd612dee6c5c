import { join } from "node:path";
import { startPostgres } from "./postgres.mjs";
import { supervise } from "./supervision.mjs";

/**
 * Postgres in the data folder, for as long as the platform runs; after a crash on the same port as before.
 *
 * @param {import("./place.mjs").Place} place
 * @returns {Promise<{ url: string, origin: string, part: import("./supervision.mjs").Part }>}
 */
export async function keepPostgres(place) {
  const { log } = place.watcher;
  const folder = join(place.folder, "postgres");
  const first = await startPostgres({ folder, log });
  const part = supervise({
    name: "postgres",
    first: life(place, first),
    again: async () => life(place, await startPostgres({ folder, log, port: first.port })),
    log: (line) => log(`${line}, log: ${join(first.folder, "postgres.log")}`),
  });
  return { url: first.url, origin: first.origin, part };
}

/**
 * @param {import("./place.mjs").Place} place
 * @param {import("./postgres.mjs").Postgres} postgres
 * @returns {import("./supervision.mjs").Life}
 */
function life(place, { pid, ended, stop, kill }) {
  // Who is noted is ended by the next start; a Postgres with lasting data is taken over instead.
  if (place.isEphemeral) place.watcher.started("postgres", pid);
  return { ended: ended.then(() => "the server is gone"), stop, kill };
}
