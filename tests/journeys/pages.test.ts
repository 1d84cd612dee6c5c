import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type Platform, startPlatform } from "../platform.js";

const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
const withChromium = executablePath === "" ? test.skip : test;
const reason = executablePath === "" ? " (skipped: chromium is not on PATH)" : "";

// A browser beside a whole platform has little of a busy machine.
jest.setTimeout(90_000);
const SHOWN_MS = 60_000;

interface Link {
  readonly token: string;
}

let platform: Platform;
let browser: Browser;
let admin: string;
let accountId: string;
const contexts: BrowserContext[] = [];
const troubles: string[] = [];

beforeAll(async () => {
  if (executablePath === "") return;
  platform = await startPlatform();
  admin = await platform.token();
  const account = { name: "Archive import", role: "member" };
  accountId = (await platform.post<{ id: string }>("/api/core/service-accounts", admin, account)).id;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args });
}, 90_000);
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  expect(troubles.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});

describe("a magic link", () => {
  withChromium(`says who one becomes, and signs in by a click alone${reason}`, async () => {
    const { token } = await newLink();
    const page = await open();
    await page.goto(linkOf(token));
    await page.getByRole("heading", { name: "Sign in with this link?" }).waitFor();
    expect(await page.locator(".who").textContent()).toBe("Archive import");
    expect(page.url()).toBe(`${platform.url}/login/magic`);
    await page.goto(linkOf(token));
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await links()).toContain(token);

    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("You are signed in", { exact: false }).first().waitFor();
    expect(page.url()).toBe(`${platform.url}/`);
    expect(await links()).not.toContain(token);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await page.getByRole("link", { name: "To the start page" }).click();
    await page.getByText("You are not signed in.").waitFor();
    await page.goto(linkOf(token));
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  });

  withChromium(`is not used up by whoever only opens it, as scanners of mails do${reason}`, async () => {
    const { token } = await newLink();
    for (const path of ["", `?t=${token}`, `?token=${token}&step=consume`]) {
      const answer = await fetch(`${platform.url}/login/magic${path}`, { headers: { accept: "text/html" } });
      expect(answer.status).toBe(200);
    }
    expect(await links()).toContain(token);
  });

  withChromium(`can be pasted and confirmed with the keyboard alone${reason}`, async () => {
    const { token } = await newLink();
    const page = await open();
    await page.goto(`${platform.url}/login/magic`);
    await page.keyboard.press("Tab");
    await page.keyboard.type(`  ${linkOf(token)} `);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in with this link?" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Sign out");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  });

  withChromium(`works without JavaScript, for whoever pastes it${reason}`, async () => {
    const { token } = await newLink();
    const page = await open({ javaScriptEnabled: false });
    await page.goto(`${platform.url}/login/magic`);
    await page.getByLabel("Link").fill(`${platform.url}/login/magic#t=${token}`);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.locator("noscript").textContent()).toContain("Without JavaScript");
    expect(await links()).not.toContain(token);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  });
});

describe("the pages", () => {
  const languages = {
    de: ["Willkommen", "Mit einem Link anmelden", "Anmelden"],
    pl: ["Witamy", "Logowanie za pomocą linku", "Logowanie"],
    "pt-BR": ["Damos-lhe as boas-vindas", "Iniciar sessão com uma ligação", "Iniciar sessão"],
    ja: ["Welcome", "Sign in with a link", "Sign in"],
  };
  const paths = ["/", "/login/magic", "/api/core/saml/login"];

  withChromium(`speak the language of the browser${reason}`, async () => {
    for (const [locale, headings] of Object.entries(languages)) {
      const page = await open({ locale });
      for (const [at, path] of paths.entries()) {
        await page.goto(`${platform.url}${path}`);
        expect(await page.locator("h1").textContent()).toBe(headings[at]);
      }
    }
  });

  withChromium(
    `have nothing that keeps anybody out, in light and in dark, on small screens and large${reason}`,
    async () => {
      const { token } = await newLink();
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [320, 1_280]) {
          const page = await open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
          for (const path of [
            ...paths,
            "/api/core/saml/complete?code=none",
            "/api/core/saml/login?email=a@b.invalid",
          ]) {
            await page.goto(`${platform.url}${path}`);
            expect({ path, width, colorScheme, ...(await barriers(page)) }).toMatchObject({ found: [], overflow: 0 });
          }
          await page.goto(linkOf(token));
          await page.locator(".who").waitFor();
          expect(await barriers(page)).toEqual({ found: [], overflow: 0 });
        }
      }
    },
  );

  withChromium(`cannot be shown in a frame, and run nothing that is not theirs${reason}`, async () => {
    const page = await open();
    await page.goto(`${platform.url}/login/magic`);
    const blocked = await page.evaluate(`new Promise((resolve) => {
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.isHere = true";
      document.body.append(script);
    })`);
    expect(blocked).toBe("script-src-elem");
    expect(await page.evaluate("window.isHere")).toBeUndefined();
    expect(troubles.splice(0)).toEqual([expect.stringContaining("Content Security Policy")]);
    const { headers } = await fetch(`${platform.url}/login/magic`);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "en", ...options });
  context.setDefaultTimeout(SHOWN_MS);
  contexts.push(context);
  const page = await context.newPage();
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    // Browsers report refusals too, which are what a page is about or asks for: whether somebody is signed in.
    if (message.type() === "error" && !/status of (?:400|403)/.test(message.text())) troubles.push(message.text());
  });
  return page;
}

function newLink(): Promise<Link> {
  return platform.post<Link>(`/api/core/service-accounts/${accountId}/magic-links`, admin, {});
}

async function links(): Promise<string[]> {
  const found = await platform.get<Link[]>(`/api/core/service-accounts/${accountId}/magic-links`, admin);
  return found.map(({ token }) => token);
}

function linkOf(token: string): string {
  return `${platform.url}/login/magic#t=${token}`;
}

/** What axe finds, and by how much the page is wider than the screen. */
async function barriers(page: Page): Promise<{ found: string[]; overflow: number }> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  // The two expressions above have these kinds of value.
  return { found: found as string[], overflow: overflow as number };
}
