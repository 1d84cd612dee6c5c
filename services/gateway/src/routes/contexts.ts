import { ContextsServiceService as contexts } from "@assistant/proto/assistant/contexts/v1/service.js";
import { type Route, route } from "../route.js";

/** Contexts and their categories. `order` stands before `{id}`, which would match it too. */
export const contextsRoutes: readonly Route[] = [
  route("post", "/api/core/contexts", contexts.createContext, {
    body: "*",
    respond: "context",
    status: 201,
    location: "/api/core/contexts/{id}",
    versioned: true,
  }),
  route("get", "/api/core/contexts", contexts.listContexts, { respond: "*" }),
  route("put", "/api/core/contexts/order", contexts.reorderContexts, { body: "*", respond: "*" }),
  route("post", "/api/core/contexts/resolve", contexts.resolveContexts, { body: "*", respond: "*" }),
  route("get", "/api/core/contexts/{context_id}", contexts.getContext, { respond: "context", versioned: true }),
  route("put", "/api/core/contexts/{context_id}", contexts.updateContext, {
    body: "*",
    respond: "context",
    versioned: true,
  }),
  route("delete", "/api/core/contexts/{context_id}", contexts.deleteContext, { respond: "*", versioned: true }),
  route("get", "/api/core/contexts/{context_id}/versions", contexts.listContextVersions, { respond: "*" }),

  route("post", "/api/core/context-categories", contexts.createContextCategory, {
    body: "*",
    respond: "context_category",
    status: 201,
    location: "/api/core/context-categories/{id}",
    versioned: true,
  }),
  route("get", "/api/core/context-categories", contexts.listContextCategories, { respond: "*" }),
  route("put", "/api/core/context-categories/order", contexts.reorderContextCategories, { body: "*", respond: "*" }),
  route("get", "/api/core/context-categories/{context_category_id}", contexts.getContextCategory, {
    respond: "context_category",
    versioned: true,
  }),
  route("put", "/api/core/context-categories/{context_category_id}", contexts.updateContextCategory, {
    body: "*",
    respond: "context_category",
    versioned: true,
  }),
  route("delete", "/api/core/context-categories/{context_category_id}", contexts.deleteContextCategory, {
    respond: "*",
    versioned: true,
  }),
  route("get", "/api/core/context-categories/{context_category_id}/versions", contexts.listContextCategoryVersions, {
    respond: "*",
  }),
];
