import type { Request } from "express";
import type { RateClass } from "./route.js";

/** One path whose requests identity answers itself, over HTTP, with a page for browsers. */
export interface Page {
  readonly method: "get" | "post";
  /** Public path; `{name}` stands for one segment. */
  readonly path: string;
  readonly rate: RateClass;
  readonly bodyBytesMax: number;
  /** Its GET does something, so that HEAD, which must not, is refused. */
  readonly acts?: true;
  /** Which of the requests for the path are meant. Absent: all, and other methods than those of its pages are refused. */
  takes?(request: Request): boolean;
  /** What the API document says; absent: browsers come here by themselves. */
  readonly documented?: DocumentedPage;
}

export interface DocumentedPage {
  readonly operationId: string;
  /** The first sentence is the summary. */
  readonly description: string;
  /** What the query carries, or the form of a POST. */
  readonly fields: readonly PageField[];
  readonly answers: Readonly<Record<number, string>>;
}

export interface PageField {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
}
