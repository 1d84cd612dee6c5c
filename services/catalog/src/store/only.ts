/** The row of a change that cannot miss: what it changes is new, or held. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) {
    throw new Error("a change of one row changed none");
  }
  return row;
}
