/** A part of a form as it stands between two boundaries. */
export function part(headers: readonly string[], content: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${headers.join("\r\n")}\r\n\r\n`), Buffer.from(content), CRLF]);
}

/** The part `file`, with a file name as it stands in quotes. */
export function filePart(fileName: string, content: string | Buffer, name = "file"): Buffer {
  return part([`Content-Disposition: form-data; name="${name}"; filename="${fileName}"`], content);
}

export function textPart(name: string, content: string): Buffer {
  return part([`Content-Disposition: form-data; name="${name}"`], content);
}

/** A whole form. */
export function form(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export const BOUNDARY = "boundary42";
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const CRLF = Buffer.from("\r\n");
