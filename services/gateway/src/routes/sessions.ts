import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { type Route, route } from "../route.js";

/** What becomes of tokens, and the sessions that they belong to. */
export const sessionsRoutes: readonly Route[] = [
  route("post", "/api/core/auth/revoke", sessions.revokeToken, {
    body: "*",
    respond: "*",
    open: true,
    form: true,
    cookie: true,
    rate: "token",
  }),
  route("post", "/api/core/auth/introspect", sessions.introspectToken, { body: "*", respond: "*", form: true }),
  route("get", "/api/core/user/sessions", sessions.listUserSessions, { respond: "*" }),
  route("delete", "/api/core/user/sessions/{session_id}", sessions.deleteUserSession, { respond: "*" }),
  route("get", "/api/core/sessions", sessions.listSessions, { respond: "*" }),
  route("delete", "/api/core/sessions/{session_id}", sessions.deleteSession, { respond: "*" }),
];
