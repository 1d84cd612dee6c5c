/** Sorts after every id: where a list that goes downwards begins. */
export const last = "~";

/** Sorts after every place. */
export const lastPlace = 2_147_483_647;

/** Which part of a list: what comes after the position where the page before ended. */
export interface Slice<Position> {
  before?: Position | undefined;
  limit: number;
}
