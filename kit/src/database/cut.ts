/** Bytes of text on a page at most: texts are long, and an answer must stay well under what one message may hold. */
const PAGE_BYTES = 1_048_576;

/** A page and whether anything comes after it. */
export interface Cut<Row> {
  rows: Row[];
  more: boolean;
}

/**
 * Cuts `keys`, which holds up to one key more than a page, where its texts pass the budget; the first always fits.
 * `found` tells how many keys there were.
 */
export function withinBudget(order: string): string {
  return `
    summed as (
      select keys.*, sum(bytes) over (order by ${order}) as reach, (count(*) over ())::integer as found from keys),
    cut as (select * from summed where reach <= ${PAGE_BYTES} or reach = bytes)`;
}

export function cutPage<Row extends { found: number }>(rows: Row[], pageSize: number): Cut<Row> {
  const page = rows.slice(0, pageSize);
  return { rows: page, more: page.length < (rows[0]?.found ?? 0) };
}
