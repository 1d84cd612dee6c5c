import { quiet } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Response as Reply, type Request, Router } from "express";
import { type Listener, startListener } from "../http/listener.js";
import type { FailureReason } from "./failure.js";
import { createPages, type Pages } from "./pages.js";
import { localeOf } from "./texts.js";

const NASTY = `"><script>alert('x')</script>&amp;`;
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;";
const BROWSER = { accept: "text/html,*/*;q=0.8" };
const REASONS: Readonly<Record<FailureReason, number>> = {
  login_failed: 403,
  link_invalid: 400,
  too_many: 429,
  unavailable: 503,
  bad_request: 400,
  forbidden_origin: 403,
  not_found: 404,
  internal: 500,
};

const shown: Record<string, (pages: Pages, request: Request, response: Reply) => void> = {
  home: (pages, request, response) => pages.home(request, response),
  login: (pages, request, response) =>
    pages.login(request, response, {
      connections: [{ slug: NASTY, name: NASTY }],
      email: NASTY,
      returnTo: NASTY,
      problem: "unknown_email",
    }),
  magicLink: (pages, request, response) => pages.magicLink(request, response),
  magicConfirm: (pages, request, response) =>
    pages.magicConfirm(request, response, {
      ...{ token: NASTY, kind: "service_account", name: NASTY, signedInAs: NASTY, usesLeft: 3 },
    }),
  postForm: (pages, request, response) =>
    pages.postForm(request, response, { action: NASTY, fields: { [NASTY]: NASTY, RelayState: "x" } }),
  leave: (pages, request, response) => pages.leave(request, response, NASTY),
  signedOut: (pages, request, response) => pages.signedOut(request, response),
  failure: (pages, request, response) => pages.failure(request, response, 403, "login_failed"),
};

let listener: Listener;

beforeAll(async () => {
  const pages = createPages({ publicUrl: "https://assistant.example", platformName: () => "<i>Ada's</i>" });
  const router = Router();
  for (const [name, show] of Object.entries(shown)) {
    router.get(`/pages/${name}`, (request, response) => show(pages, request, response));
  }
  router.get("/failures/:reason", (request, response) => {
    // The test asks for the reasons above alone.
    const reason = request.params.reason as FailureReason;
    pages.failure(request, response, REASONS[reason], reason);
  });
  router.get("/locale", (request, response) => {
    response.end(localeOf(request));
  });
  listener = await startListener({ listen: "127.0.0.1:0", routers: [router], pages, trustedProxies: [], log: quiet });
});
afterAll(() => listener?.stop(1_000));

const ask = (path: string, headers: Readonly<Record<string, string>> = BROWSER) =>
  fetch(`http://127.0.0.1:${listener.port}${path}`, { headers });
const textOf = async (path: string, language = "en") =>
  (await ask(path, { ...BROWSER, "accept-language": language })).text();

describe("every page", () => {
  test.each(Object.keys(shown))("%s forbids all but its own files, and is kept by nobody", async (name) => {
    const { headers } = await ask(`/pages/${name}`);
    const leads = ["home", "login", "postForm"].includes(name) ? "'self' https:" : "'self'";
    expect(headers.get("content-security-policy")).toBe(
      [
        ...["default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'"],
        ...["img-src 'self' data:", `form-action ${leads}`, "frame-ancestors 'none'", "base-uri 'none'"],
      ].join("; "),
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    expect(headers.has("x-powered-by")).toBe(false);
  });

  test.each(Object.keys(shown))(
    "%s shows texts as texts, whatever they hold, and runs nothing inline",
    async (name) => {
      const text = await textOf(`/pages/${name}`);
      expect(text).not.toContain("alert('x')");
      expect(text.match(/<script(?! src="\/login\/[a-z]+\.[0-9a-f]{16}\.js" defer><\/script>)/g)).toBeNull();
      expect(text).toContain("· &lt;i&gt;Ada&#39;s&lt;/i&gt;</title>");
      expect(text).toContain("<span>&lt;i&gt;Ada&#39;s&lt;/i&gt;</span></header>");
      expect(text).not.toMatch(/<style| style=| on[a-z]+=|javascript:/i);
      if (["login", "magicConfirm", "postForm", "leave"].includes(name)) expect(text).toContain(ESCAPED);
    },
  );

  test.each(Object.keys(shown))("%s is in the reader's language, says which, and has one heading", async (name) => {
    const texts = new Set<string>();
    for (const language of ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"]) {
      const text = await textOf(`/pages/${name}`, language);
      expect(text).toContain(`<html lang="${language}">`);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).not.toContain("undefined");
      texts.add(text.replace(/lang="[a-z]+"/, ""));
    }
    expect(texts.size).toBe(9);
  });
});

test.each([
  ["", "en"],
  ["*", "en"],
  ["ja, zh", "en"],
  ["ja, de;q=0.1", "de"],
  ["de-CH", "de"],
  ["pt-BR,pt;q=0.9,en;q=0.8", "pt"],
  ["en;q=0.5, fr;q=0.9", "fr"],
  ["de;q=0, nl", "nl"],
  ["SV", "sv"],
  ["\u00e4;;;q=x", "en"],
])("to %j the language is %s", async (language, locale) => {
  expect(await (await ask("/locale", { "accept-language": language })).text()).toBe(locale);
});

describe("a failure", () => {
  test.each(Object.entries(REASONS))(
    "%s is a page for browsers and the error body for others",
    async (reason, status) => {
      const page = await ask(`/failures/${reason}`);
      expect(page.status).toBe(status);
      expect(await page.text()).toMatch(/<div role="alert">\s*<h1>/);
      for (const accept of ["*/*", "application/json", "application/xml"]) {
        const answer = await ask(`/failures/${reason}`, { accept });
        expect(answer.headers.get("content-type")).toBe("application/json");
        const { detail } = await answer.json();
        expect({ status: answer.status, keys: Object.keys(detail[0]) }).toEqual({
          status,
          keys: ["type", "loc", "msg", "input", "ctx"],
        });
      }
    },
  );
});

describe("the files of the pages", () => {
  test("are kept for good under names that change with them, and are what the pages ask for", async () => {
    const pages = await Promise.all(Object.keys(shown).map((name) => textOf(`/pages/${name}`)));
    const paths = new Set(pages.flatMap((text) => text.match(/\/login\/[a-z]+\.[0-9a-f]{16}\.(?:css|js)/g) ?? []));
    expect(new Set([...paths].map((path) => path.split(".")[0]))).toEqual(
      new Set(["/login/home", "/login/magic", "/login/style", "/login/submit"]),
    );
    for (const path of paths) {
      const answer = await ask(path);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": path.endsWith("css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
        "x-content-type-options": "nosniff",
      });
    }
  });
});
