/** The row that a change of a row answers which the transaction holds: it cannot have gone. */
export function held<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) {
    throw new Error("a row that was held is gone");
  }
  return row;
}
