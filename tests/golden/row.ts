import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { enumDescriptor, wordsOf } from "@assistant/kit/rules/descriptor.js";

/** One request with its exact answer. `op` is the number of the operation in the interface document; 0 sends no request. */
export interface GoldenRow {
  id: string;
  op: number;
  method: string;
  path: string;
  headers: Record<string, string | null>;
  body: GoldenBody;
  note: string;
  expect: { status?: number; not_status?: number[]; detail?: Detail[]; headers?: Record<string, string> };
  /** Compare status, type, msg, input and the first element of loc only. */
  loose?: boolean;
  /** Names connector kinds by number: the platform's own words are to be put in their places. */
  kinds?: boolean;
}

export interface Detail {
  type: string;
  loc: string[];
  msg: string;
  input: unknown;
  ctx: Record<string, unknown>;
}

type Piece = string | { repeat: string; times: number };
type Part = { name?: string; filename?: string; content_type?: string; content?: string };
type GoldenBody = null | string | { concat: Piece[] } | { base64: string } | { multipart: Part[] };

export interface GoldenAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  detail: Detail[] | undefined;
}

export function readGoldenRows(): GoldenRow[] {
  const lines = readFileSync(join(import.meta.dirname, "validation-golden.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const row = JSON.parse(line) as GoldenRow;
    return row.kinds ? (JSON.parse(withKinds(line)) as GoldenRow) : row;
  });
}

/** The interface document gives the first three kinds their words and numbers the others. */
function withKinds(line: string): string {
  const numbered = wordsOf(enumDescriptor("assistant.common.v1.ConnectorKind")).slice(3);
  return line.replace(/connector_kind_(\d{2})/g, (all, digits) => numbered[Number(digits) - 1] ?? all);
}

/** Sends a row as it stands: node:http neither normalises the path nor adds a body. */
export function send(row: GoldenRow, url: string, token: string, names: Record<string, string>): Promise<GoldenAnswer> {
  const fill = (text: string) =>
    text
      .replaceAll("{nonce}", randomBytes(16).toString("hex"))
      .replace(/\{([a-z_]+)\}/g, (all, name) => names[name] ?? all);
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  for (const [name, value] of Object.entries(row.headers)) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const body = bytesOf(row.body, fill);
  if (row.body !== null && typeof row.body === "object" && "multipart" in row.body) headers["content-type"] = FORM_TYPE;
  if (body) headers["content-length"] = String(body.length);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method: row.method, path: fill(row.path), headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const isJson = text !== "" && incoming.headers["content-type"] === "application/json";
        const json = isJson ? (JSON.parse(text) as { detail?: Detail[] }) : undefined;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, detail: json?.detail });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function bytesOf(body: GoldenBody, fill: (text: string) => string): Buffer | undefined {
  if (body === null) return undefined;
  if (typeof body === "string") return Buffer.from(fill(body));
  if ("base64" in body) return fillBytes(Buffer.from(body.base64, "base64"), fill);
  if ("concat" in body) {
    const pieces = body.concat.map((piece) => (typeof piece === "string" ? piece : piece.repeat.repeat(piece.times)));
    return Buffer.from(fill(pieces.join("")));
  }
  return formOf(body.multipart, fill);
}

const BOUNDARY = "golden-boundary";
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A form as browsers write it: names of files in quotes and in UTF-8. */
function formOf(parts: readonly Part[], fill: (text: string) => string): Buffer {
  const lines = parts.flatMap(({ name, filename, content_type, content = "" }) => [
    `--${BOUNDARY}`,
    ["Content-Disposition: form-data", ...quoted({ name, filename })].join("; "),
    ...(content_type === undefined ? [] : [`Content-Type: ${content_type}`]),
    "",
    fill(content),
  ]);
  return Buffer.from([...lines, `--${BOUNDARY}--`, ""].join("\r\n"));
}

function quoted(parameters: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : `${name}="${value}"`));
}

/** Latin-1 keeps every byte as it is, valid UTF-8 or not. */
function fillBytes(bytes: Buffer, fill: (text: string) => string): Buffer {
  return Buffer.from(fill(bytes.toString("latin1")), "latin1");
}
