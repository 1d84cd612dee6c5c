import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PDFDocument } from "pdf-lib";

/**
 * A stub of Gotenberg: it follows the documented routes (`/version`, `/health`, `/forms/libreoffice/convert`) but converts
 * nothing. Its PDF has as title the SHA-256 of the file that it was sent. A file that says "broken" it refuses.
 */
export interface GotenbergStub {
  readonly url: string;
  /** What was sent: form fields and file names. */
  readonly requests: { fields: Record<string, string>; fileName: string }[];
  /** What it says of itself. */
  version: string;
  isHealthy: boolean;
  /** How it answers conversions, if not by converting. */
  answer: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

export async function startGotenbergStub(): Promise<GotenbergStub> {
  const server = createServer((request, response) => {
    route(stub, request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const stub: GotenbergStub = {
    url: `http://127.0.0.1:${address.port}`,
    requests: [],
    version: "8.36.0",
    isHealthy: true,
    answer: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return stub;
}

async function route(stub: GotenbergStub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (`${request.method} ${request.url}`) {
    case "GET /version":
      response.setHeader("Content-Type", "text/plain").end(stub.version);
      return;
    case "GET /health":
      response.writeHead(stub.isHealthy ? 200 : 503, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ status: stub.isHealthy ? "up" : "down" }));
      return;
    case "POST /forms/libreoffice/convert":
      await convert(stub, request, response);
      return;
    default:
      response.writeHead(404).end("Not Found");
  }
}

async function convert(stub: GotenbergStub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const form = await new Response(body, {
    headers: { "Content-Type": request.headers["content-type"] ?? "" },
  }).formData();
  const file = form.get("files");
  if (!(file instanceof File)) {
    response.writeHead(400).end("Invalid form data: no form file found for extensions");
    return;
  }
  const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
  stub.requests.push({ fields: Object.fromEntries(fields), fileName: file.name });
  const bytes = Buffer.from(await file.arrayBuffer());
  if (stub.answer !== undefined) {
    stub.answer(response);
  } else if (bytes.includes("broken")) {
    response.writeHead(400, { "Content-Type": "text/plain" }).end("LibreOffice failed to process a document");
  } else {
    response.writeHead(200, { "Content-Type": "application/pdf" }).end(await pdfOf(bytes));
  }
}

async function pdfOf(bytes: Buffer): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage();
  document.setTitle(createHash("sha256").update(bytes).digest("hex"));
  return Buffer.from(await document.save());
}
