/** What a sheet calls a column, counted from 0: A, B, ... Z, AA. */
export function columnName(index: number): string {
  const rest = Math.floor(index / LETTERS) - 1;
  const last = String.fromCharCode(A + (index % LETTERS));
  return rest < 0 ? last : columnName(rest) + last;
}

const LETTERS = 26;
const A = 65;
