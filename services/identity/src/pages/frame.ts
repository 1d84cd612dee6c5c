import type { Request, Response } from "express";
import { type Html, html } from "./html.js";
import { pageFiles } from "./page-files.js";
import { localeOf } from "./texts.js";

/** One page before it gets its frame. */
export interface Content {
  readonly title: string;
  readonly body: Html;
  readonly head?: Html;
  /** Path of the script that the page has. */
  readonly script?: string;
  /** Where its forms may lead; absent: nowhere but here. */
  readonly formAction?: string;
  readonly status?: number;
}

/** Answers a page of the platform, by whatever name. */
export function answerPage(request: Request, response: Response, platform: string, content: Content): void {
  const { title, body, head, script, formAction = "'self'", status = 200 } = content;
  const page = html`<!doctype html>
<html lang="${localeOf(request)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${platform}</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${pageFiles.style.path}">
${head}${script === undefined ? undefined : html`<script src="${script}" defer></script>`}
</head>
<body>
<header>${MARK}<span>${platform}</span></header>
<main>
${body}
</main>
</body>
</html>
`;
  secure(response, formAction);
  response.status(status).type("html").end(page.markup);
}

function secure(response: Response, formAction: string): void {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  response.setHeader("Content-Security-Policy", policy.join("; "));
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  // Other sites learn nothing. Without any referrer our own forms would be of an unknown origin.
  response.setHeader("Referrer-Policy", "same-origin");
  response.setHeader("X-Content-Type-Options", "nosniff");
}

const MARK = html`<svg viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="8" fill="currentColor"/>\
<path d="M14 6.5l1.9 5.6 5.6 1.9-5.6 1.9L14 21.5l-1.9-5.6L6.5 14l5.6-1.9z" fill="var(--card)"/></svg>`;
