import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import express, { type Express } from "express";

/** An Express app, and the classes whose objects a server has to hand to it. */
export interface FastExpress {
  readonly app: Express;
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  readonly listener: RequestListener;
}

/**
 * Express gives every request and response another prototype, which costs V8 all it knows about them: three quarters of
 * the throughput. For objects that are made with that very prototype the exchange changes nothing.
 */
export function createFastExpress(): FastExpress {
  const app = express();
  class FastRequest extends IncomingMessage {}
  class FastResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  Object.defineProperties(FastRequest.prototype, Object.getOwnPropertyDescriptors(express.request));
  Object.defineProperties(FastResponse.prototype, Object.getOwnPropertyDescriptors(express.response));
  adopt(app, "request", FastRequest.prototype);
  adopt(app, "response", FastResponse.prototype);
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  return { app, IncomingMessage: FastRequest, ServerResponse: FastResponse, listener: app };
}

/** Express finds its app through the prototype. */
function adopt(app: Express, name: "request" | "response", prototype: object): void {
  Object.defineProperty(prototype, "app", { configurable: true, enumerable: true, writable: true, value: app });
  Object.defineProperty(app, name, { configurable: true, enumerable: true, writable: true, value: prototype });
}
