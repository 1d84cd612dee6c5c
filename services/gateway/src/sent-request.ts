import type { Json } from "./json.js";
import type { Located } from "./refusal.js";

/** What the client sent. */
export interface SentRequest {
  readonly parameters: Readonly<Record<string, string>>;
  /** The query as it came, without its question mark. */
  readonly query: string;
  /** Undefined: the row reads none. */
  readonly body: Json | Located | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the operation does not know is an error too. */
  readonly isStrict: boolean;
}
