import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { violation } from "@assistant/kit/rules/violation.js";
import { headersTooLarge, methodNotAllowed, requestTimedOut } from "./problem.js";
import { type Problem, refusalFor } from "./refusal.js";

/** No request line and headers are together larger. */
export const HEADERS_BYTES_MAX = 16 * 1_024;

/** Answers what is no HTTP in the one error body as well, as long as the connection can still carry an answer. */
export function onBrokenRequest(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (_request, response) => {
    if (response.socket !== null) answers.set(response.socket, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const running = answers.get(socket);
    if (running === undefined || running.writableFinished) end(socket, problemOf(error.code));
    // The broken thing is the body of a request that has no answer yet.
    else if (!running.req.complete && !running.headersSent) end(socket, problemOf(error.code));
    // It is a later request on the same connection: the answer before it comes first.
    else if (running.req.complete) running.once("close", () => end(socket, problemOf(error.code)));
    else socket.destroy();
  });
  // Whoever asks for a tunnel gets none.
  server.on("connect", (_request, socket) =>
    end(socket, methodNotAllowed("CONNECT", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")),
  );
}

function problemOf(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge(HEADERS_BYTES_MAX);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return requestTimedOut();
  const broken = violation([], "bad_request", "Invalid HTTP request", { reason: "http" });
  return refusalFor(400, { ...broken, input: null }).problem;
}

function end(socket: Duplex, { status, detail, headers }: Problem): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ detail });
  const head = {
    ...headers,
    Connection: "close",
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": randomUUID(),
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${REASONS[status] ?? "Error"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};
