import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Call } from "@assistant/kit/wire/call.js";

export interface Paged {
  page_size?: number | undefined;
  page_token?: string | undefined;
}

/** A list of one reader with its filters, a page of which is asked for. */
export interface AskedPage<Place> {
  pageSize: number;
  /** Where the page before ended. */
  before: Place | undefined;
  /** The token for the page after the one that ends there. */
  after(place: Place | undefined): string | undefined;
}

export function askedPage<Place extends string | number>(
  pager: Pager,
  { page_size, page_token }: Paged,
  call: Call,
  filters: readonly (string | undefined)[],
): AskedPage<Place> {
  const about = aboutList(call, filters);
  // A token opens only for the list that sealed it, and `after` seals one place.
  const opened = page_token === undefined ? undefined : (pager.open(page_token, about) as readonly [Place]);
  return {
    pageSize: page_size ?? PAGE_SIZE,
    before: opened?.[0],
    after: (place) => (place === undefined ? undefined : pager.seal([place], about)),
  };
}
