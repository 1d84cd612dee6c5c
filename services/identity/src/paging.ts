import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Slice } from "./store/order.js";

interface PageRequest {
  page_size?: number | undefined;
  page_token?: string | undefined;
}

interface List<Row, Position> {
  /** What the list is of, beside its rpc and its reader. */
  about?: readonly string[];
  /** Where a row stands in the list. */
  place(row: Row): Position;
  find(slice: Slice<Position>): Promise<Row[]>;
}

/** One page of a list. Reads one row more than it shows, to know whether there are more. */
export async function pageOf<Row, Position extends string | number>(
  pager: Pager,
  request: PageRequest,
  call: Call,
  { about = [], place, find }: List<Row, Position>,
): Promise<{ rows: Row[]; next_page_token: string | undefined }> {
  const name = aboutList(call, about);
  const size = request.page_size ?? PAGE_SIZE;
  // A token opens only under the name of its list, so its position is one of this list.
  const before = request.page_token === undefined ? undefined : (pager.open(request.page_token, name)[0] as Position);
  const found = await find({ before, limit: size + 1 });
  const rows = found.slice(0, size);
  const end = rows.at(-1);
  const next_page_token = found.length > size && end !== undefined ? pager.seal([place(end)], name) : undefined;
  return { rows, next_page_token };
}
