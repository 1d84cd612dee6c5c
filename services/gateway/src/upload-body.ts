import type { Readable } from "node:stream";
import { checkEncoding, hasBody, isForm, readBody, tooLarge } from "./body.js";
import type { Exchange } from "./exchange.js";
import { FILE, FILE_PART, isMultipart, openMultipart, type Part, refusalOf } from "./multipart.js";
import { pour } from "./pour.js";
import { FORM_BYTES_MAX, type UploadLimits } from "./upload-limits.js";

/** What is told of a form while it arrives. */
export interface FormEars {
  /** The file has begun; its bytes have to be read. Comes again where the form holds another one. */
  onFile(file: { readonly name: string; readonly bytes: Readable }): void;
  /** Text stands in the place of the file. */
  onText(): void;
}

/**
 * Reads the form that a body is to be, and answers its parts once it is at its end; a body that is no form has none.
 * Throws a Refusal: 413, 415, 400.
 */
export async function receiveForm(exchange: Exchange, limits: UploadLimits, ears: FormEars): Promise<readonly Part[]> {
  const { request, response } = exchange;
  const { "content-type": contentType, "content-length": length } = request.headers;
  if (Number(length ?? 0) > limits.bytesMax + FORM_BYTES_MAX) throw tooLarge(limits.bytesMax, FILE);
  if (hasBody(request)) checkEncoding(request);
  if (isMultipart(contentType)) return receiveMultipart(exchange, contentType, limits, ears);
  if (!isForm(contentType) || !hasBody(request)) return [];
  const text = (await readBody(request, response)).toString();
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, text: () => value }));
}

async function receiveMultipart(
  { request, response }: Exchange,
  contentType: string,
  limits: UploadLimits,
  { onFile, onText }: FormEars,
): Promise<readonly Part[]> {
  const form = openMultipart({
    contentType,
    bytesMax: limits.bytesMax,
    onFile: ({ name, fileName, bytes }) => {
      if (name === FILE_PART) onFile({ name: fileName, bytes });
      else bytes.resume();
    },
    onText: (name) => {
      if (name === FILE_PART) onText();
    },
  });
  if (!hasBody(request)) return [];
  let size = 0;
  const see = (chunk: Buffer) => {
    size += chunk.length;
    form.see(chunk);
  };
  try {
    await pour(request, response, { parser: form.parser, see }, limits);
  } catch (error) {
    // Of a body that comes in chunks only its end tells whether there is one.
    if (size === 0 && request.complete) return [];
    throw refusalOf(error);
  }
  return form.finish();
}
