import { type MessageSchema, typeOf } from "./schema.js";

/** Reads the query of a URL, without its question mark: the last of a parameter counts, of a list all. */
export function readQuery(text: string, schema: MessageSchema): Readonly<Record<string, unknown>> {
  const parameters = new URLSearchParams(text);
  // Without a prototype no parameter can be mistaken for what objects inherit.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of parameters) {
    const field = schema.properties[name];
    const isList = field !== undefined && typeOf(field) === "array";
    values[name] = isList ? parameters.getAll(name) : value;
  }
  return values;
}

/** The query of the URL of a request, without its question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}
