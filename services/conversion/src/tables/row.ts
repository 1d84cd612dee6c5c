/** A row of a table as it was read. Cells without text may be left out. */
export interface Row {
  readonly texts: readonly string[];
  /** The columns of the texts, from 0, ascending; without it one after the other from the first. */
  readonly columns?: readonly number[];
  /** Which of the texts are headers. */
  readonly headers?: readonly boolean[];
}
