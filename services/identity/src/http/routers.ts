import type { Log } from "@assistant/kit/process/log.js";
import type { Router } from "express";
import { type MagicLoginParts, magicLoginRouter } from "../links/magic-login-router.js";
import type { SamlTools } from "../saml/open-saml.js";
import { samlRouter } from "../saml/router.js";
import { sessionOpening } from "../sessions/opening.js";

export type RouterParts = MagicLoginParts & { log: Log; saml: SamlTools };

/** What identity serves to browsers beside the start page. */
export function routers(parts: RouterParts): readonly Router[] {
  const { saml } = parts;
  return [magicLoginRouter(parts), samlRouter({ ...parts, ...saml, openSession: sessionOpening(parts) })];
}
