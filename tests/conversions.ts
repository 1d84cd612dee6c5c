import type { Platform } from "./platform.js";

/** What the platform answered to a file that was to be converted. */
export interface Converted {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** `type` of the first detail of an error. */
  readonly problem: string | undefined;
}

/** Sends a file as a browser does. */
export async function convert(
  { url }: Platform,
  token: string,
  target: "pdf" | "xlsx",
  file: { readonly name: string; readonly bytes: Buffer },
): Promise<Converted> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(file.bytes)]), file.name);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/${target}-converter`, { method: "POST", headers, body: form });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, problem: answer.ok ? undefined : problemOf(bytes) };
}

/** Whether the platform converts such files to PDF with this engine now: offices need a moment to be warm. */
export async function convertsWith(platform: Platform, token: string, extension: string, engine: string) {
  const { items } = await platform.get<{ items: { extension: string; engine: string }[] }>(
    "/api/pdf-converter/formats",
    token,
  );
  return items.some((format) => format.extension === extension && format.engine === engine);
}

function problemOf(bytes: Buffer): string | undefined {
  // Every error of the platform has this shape; another one has no problem to compare with.
  const { detail } = JSON.parse(bytes.toString()) as { detail?: { type: string }[] };
  return detail?.[0]?.type;
}
