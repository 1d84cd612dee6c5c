import { ContextsServiceService as contexts } from "@assistant/proto/assistant/contexts/v1/service.js";
import { describe, expect, test } from "@jest/globals";
import { route } from "./route.js";

describe("route", () => {
  test("a row names rpc, fields and status and leaves the rest as usual", () => {
    const row = route("post", "/api/core/contexts", contexts.createContext, {
      body: "*",
      respond: "context",
      status: 201,
      location: "/api/core/contexts/{id}",
    });
    expect(row).toMatchObject({ method: "post", respond: "context", status: 201, open: false, form: false });
    expect(row.rpc.path).toBe("/assistant.contexts.v1.ContextsService/CreateContext");
  });

  test("a row may take its parameters from the request and its location from both", () => {
    const row = route("put", "/api/core/contexts/{context_id}", contexts.updateContext, {
      body: "*",
      respond: "*",
      versioned: true,
      location: "/api/core/contexts/{context_id}/at/{context}",
    });
    expect(row.versioned).toBe(true);
  });

  test("what the rpc does not know does not compile", () => {
    // @ts-expect-error `ctx_id` is no field of the request.
    route("get", "/api/core/contexts/{ctx_id}", contexts.getContext, { respond: "context" });
    // @ts-expect-error `category` is no field of the response.
    route("get", "/api/core/contexts/{context_id}", contexts.getContext, { respond: "category" });
    // @ts-expect-error `text` is no field of the request.
    route("post", "/api/core/contexts", contexts.createContext, { body: "text", respond: "context" });
    // @ts-expect-error A field of the path is not the body too.
    route("put", "/api/core/contexts/{title}", contexts.createContext, { body: "title", respond: "context" });
    const location = "/api/core/contexts/{ctx_id}";
    // @ts-expect-error `ctx_id` is a field of neither the answer nor the request.
    route("post", "/api/core/contexts", contexts.createContext, { body: "*", respond: "context", location });
    // @ts-expect-error An rpc that streams is no plain row.
    route("get", "/api/core/contexts/{context_id}", streaming, { respond: "context" });
    expect.assertions(0);
  });
});

const streaming = { ...contexts.getContext, responseStream: true as const };
