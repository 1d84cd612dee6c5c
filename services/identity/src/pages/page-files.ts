import { createHash } from "node:crypto";
import { Router } from "express";
import { HOME_SCRIPT, MAGIC_SCRIPT, SUBMIT_SCRIPT } from "./scripts.js";
import { STYLE } from "./style.js";

/** What the pages are made of, by paths that change with what is in them. */
export const pageFiles = {
  style: fileOf("style", "css", STYLE),
  magicScript: fileOf("magic", "js", MAGIC_SCRIPT),
  submitScript: fileOf("submit", "js", SUBMIT_SCRIPT),
  homeScript: fileOf("home", "js", HOME_SCRIPT),
} as const;

/** Serves them, to be kept for good. */
export function pageFileRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const { path, type, text } of Object.values(pageFiles)) {
    router.get(path, (_request, response) => {
      response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
      response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
      response.setHeader("X-Content-Type-Options", "nosniff");
      response.type(type).end(text);
    });
  }
  return router;
}

interface PageFile {
  readonly path: string;
  readonly type: "css" | "js";
  readonly text: string;
}

function fileOf(name: string, type: PageFile["type"], text: string): PageFile {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `/login/${name}.${hash}.${type}`, type, text };
}
