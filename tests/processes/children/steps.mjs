/**
 * Kills this process at its n-th step, as the power failing between two lines would. 0: never.
 *
 * @param {number} killAt
 * @returns {() => Promise<void>}
 */
export function countdown(killAt) {
  let count = 0;
  return async () => {
    count += 1;
    if (count === killAt) {
      process.kill(process.pid, "SIGKILL");
      // Nothing more happens until the signal is there.
      await new Promise(() => undefined);
    }
  };
}

/**
 * The same database, with a step before every statement, before every commit and after it.
 *
 * @param {import("@assistant/kit/database/postgres.js").Postgres} db
 * @param {() => Promise<void>} step
 * @returns {import("@assistant/kit/database/postgres.js").Postgres}
 */
export function steppingDatabase(db, step) {
  const sql = steppingSql(db, step);
  return {
    ...db,
    ...sql,
    async transaction(origin, work) {
      const answer = await db.transaction(origin, async (tx) => {
        const change = stepping(tx.change, step);
        const result = await work({ ...steppingSql(tx, step), change });
        await step();
        return result;
      });
      await step();
      return answer;
    },
  };
}

/**
 * The same bus, with a step before and after all that is done with it.
 *
 * @param {import("@assistant/kit/events/bus.js").Bus} bus
 * @param {() => Promise<void>} step
 * @returns {import("@assistant/kit/events/bus.js").Bus}
 */
export function steppingBus(bus, step) {
  return {
    ...bus,
    declare: stepping(bus.declare, step),
    publish: stepping(bus.publish, step),
    consume: (subscription) => bus.consume({ ...subscription, handle: stepping(subscription.handle, step) }),
  };
}

/**
 * The same notices, with a step before and after they are told.
 *
 * @param {import("@assistant/kit/events/notices.js").Notices} notices
 * @param {() => Promise<void>} step
 * @returns {import("@assistant/kit/events/notices.js").Notices}
 */
export function steppingNotices(notices, step) {
  return { ...notices, tell: stepping(notices.tell, step) };
}

/**
 * @param {import("@assistant/kit/database/postgres.js").Sql} sql
 * @param {() => Promise<void>} step
 */
function steppingSql(sql, step) {
  return { query: stepping(sql.query, step), run: stepping(sql.run, step) };
}

/**
 * @template {(...words: any[]) => Promise<any>} Work
 * @param {Work} work
 * @param {() => Promise<void>} step
 * @returns {Work}
 */
function stepping(work, step) {
  const wrapped = async (/** @type {any[]} */ ...words) => {
    await step();
    const answer = await work(...words);
    await step();
    return answer;
  };
  // It takes and answers what the work does.
  return /** @type {Work} */ (wrapped);
}
