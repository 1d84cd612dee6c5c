import { spawnSync } from "node:child_process";
import { type SamlpProvider, startSamlpProvider } from "@assistant/identity/testing/saml/samlp-provider.js";
import { until } from "@assistant/kit/testing/until.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import jsQR from "jsqr";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type Platform, startPlatform } from "../platform.js";

const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
const withChromium = executablePath === "" ? test.skip : test;
const reason = executablePath === "" ? " (skipped: chromium is not on PATH)" : "";

let platform: Platform;
let browser: Browser;
let context: BrowserContext;
let admin: string;
let provider: SamlpProvider;

beforeAll(async () => {
  if (executablePath === "") return;
  platform = await startPlatform();
  admin = await platform.token();
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args });
  provider = await startSamlpProvider({
    ourCertificate: await signingCertificate(),
    acsUrl: `${platform.url}/api/core/saml/acs`,
    sloUrl: `${platform.url}/api/core/saml/slo`,
    user: { id: "ada-1", email: "ada@provider.example", name: "Ada Lovelace" },
    sessionIndex: "session-1",
  });
}, 90_000);
afterEach(() => context?.close());
afterAll(async () => {
  await browser?.close();
  await provider?.close();
  await platform?.stop();
});

describe("in a browser", () => {
  withChromium(
    `a person signs in at the identity provider, is who it says, and signs out at both${reason}`,
    async () => {
      const metadata_xml = await (await fetch(provider.metadataUrl)).text();
      await platform.post("/api/core/saml/connections", admin, { slug: "acme", metadata_xml, jit: true });

      const page = await newPage();
      await page.goto(`${platform.url}/api/core/saml/login?connection=acme`);
      await page.getByText("You are signed in as").waitFor();
      expect(new URL(page.url()).pathname).toBe("/");
      const profile = await profileOf(page);
      expect(profile).toMatchObject({
        email: "ada@provider.example",
        login_history: [{ method: "saml", ip_address: "127.0.0.1" }],
      });
      const users = await platform.get<{ items: { id: string; name: string }[] }>("/api/core/users", admin);
      expect(users.items.find(({ id }) => id === profile.id)?.name).toBe("Ada Lovelace");

      const signedOutThere = page.waitForRequest((request) => request.url().startsWith(`${provider.origin}/slo`));
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
      await signedOutThere;
      await page.goto(`${platform.url}/`);
      await page.getByText("You are not signed in.").waitFor();
    },
    60_000,
  );

  withChromium(
    `a guest scans the code of a use case, sees that one alone, and is out once it is revoked${reason}`,
    async () => {
      const { items } = await platform.get<{ items: { id: string }[] }>("/api/core/use-cases", admin);
      const [shown, other] = items.map(({ id }) => id);
      const path = `/api/core/use-cases/${shown}/qr-link`;
      const link = await platform.post<{ token_id: string }>(path, admin, {});

      const page = await newPage();
      await page.goto(await scanned(page, `${path}/magic-links/${link.token_id}/qr.png`));
      await page.getByRole("heading", { name: "Sign in with this link?" }).waitFor();
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      const guest = await tokenOf(page);
      expect(await statuses(guest, [`/api/core/use-cases/${shown}`, `/api/core/use-cases/${other}`])).toEqual([
        200, 404,
      ]);
      expect(await statuses(guest, ["/api/core/contexts", "/api/core/users"])).toEqual([403, 403]);

      const revoked = await fetch(`${platform.url}${path}/magic-links/${link.token_id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${admin}` },
      });
      expect(revoked.status).toBe(200);
      await until(async () => (await statuses(guest, [`/api/core/use-cases/${shown}`]))[0] === 401, 2_000);
      await page.goto(`${platform.url}/`);
      await page.getByText("You are not signed in.").waitFor();
    },
    60_000,
  );
});

interface Profile {
  readonly id: string;
  readonly email: string | null;
}

async function newPage(): Promise<Page> {
  context = await browser.newContext({ locale: "en" });
  return context.newPage();
}

/** As the page of an application gets it: by the cookie that the sign-in left. */
async function tokenOf(page: Page): Promise<string> {
  const token: unknown = await page.evaluate(`fetch("/api/core/auth/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_type: "refresh_token" }),
  }).then((answer) => answer.json()).then((tokens) => tokens.access_token)`);
  return String(token);
}

async function profileOf(page: Page): Promise<Profile> {
  return platform.get<Profile>("/api/core/user/profile", await tokenOf(page));
}

function statuses(token: string, paths: readonly string[]): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(paths.map(async (path) => (await fetch(`${platform.url}${path}`, { headers })).status));
}

/** What a camera reads off the picture. */
async function scanned(page: Page, path: string): Promise<string> {
  const picture = await fetch(`${platform.url}${path}`, { headers: { authorization: `Bearer ${admin}` } });
  const png = Buffer.from(await picture.arrayBuffer()).toString("base64");
  // Only their red part, and as text: a list of numbers would take long to come over.
  const pixels: unknown = await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${png}"), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    const reds = data.filter((_, place) => place % 4 === 0);
    return { width: image.width, reds: Array.from(reds, (red) => (red > 127 ? "1" : "0")).join("") };
  })()`);
  // What the expression above answers.
  const { width, reds } = pixels as { width: number; reds: string };
  const rgba = Array.from(reds, Number).flatMap((red) => [red * 255, red * 255, red * 255, 255]);
  const code = jsQR.default(Uint8ClampedArray.from(rgba), width, reds.length / width);
  if (code === null) throw new Error("no code is found in the picture");
  return code.data;
}

/** What we sign with, as our metadata say. */
async function signingCertificate(): Promise<string> {
  const metadata = await (await fetch(`${platform.url}/saml/metadata`)).text();
  const [, base64 = ""] = /use="signing".*?X509Certificate>([^<]+)</s.exec(metadata) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/\s/g, "").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}
