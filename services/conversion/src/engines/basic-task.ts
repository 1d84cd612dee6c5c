/** What a process of the basic engine is told to do. */
export interface BasicTask {
  readonly extension: string;
  readonly sourcePath: string;
  readonly resultPath: string;
  /** It ends itself then, whatever has become of those who started it. */
  readonly timeoutMs: number;
}

/** What it answers. */
export type BasicAnswer =
  | { readonly kind: "done"; readonly loadMs: number; readonly exportMs: number }
  | { readonly kind: "refused"; readonly why: Refusal; readonly detail: string };

export type Refusal = "corrupt" | "protected" | "complex" | "unable" | "full";

/** Thrown by the parts of the process to say what is wrong with a file. */
export class Refused extends Error {
  readonly why: Refusal;

  constructor(why: Refusal, detail: string) {
    super(detail);
    this.why = why;
  }
}
