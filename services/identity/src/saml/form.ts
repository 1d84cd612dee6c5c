import type { Request } from "express";

/** The one value of a field of a form; undefined: it is not there, or not once. */
export function formField(request: Request, name: string): string | undefined {
  // What express.urlencoded reads has no prototype; without a form there is no body.
  const fields: Readonly<Record<string, unknown>> = request.body ?? {};
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Whether a form has a field, however often. */
export function hasField(request: Request, name: string): boolean {
  const fields: object = request.body ?? {};
  return Object.hasOwn(fields, name);
}

/** The query as it stands in the address, undecoded. */
export function rawQueryOf(request: Request): string {
  const at = request.originalUrl.indexOf("?");
  return at === -1 ? "" : request.originalUrl.slice(at + 1);
}
