/** What a file can be converted to. */
export type Target = "pdf" | "xlsx";

/** A kind of file that something here converts. */
export interface Format {
  /** Usual ending of names, without the dot, in lower case. Formats are known by it: `docx`. */
  readonly extension: string;
  /** Other endings that such files have. */
  readonly aliases: readonly string[];
  /** Media types that it is known by, the usual one first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** What people call it: `Word document`. */
  readonly name: string;
}
