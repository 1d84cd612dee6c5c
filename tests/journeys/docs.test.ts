import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { type Browser, chromium } from "playwright-core";
import { type Platform, startPlatform } from "../platform.js";

const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
const withChromium = executablePath === "" ? test.skip : test;
const reason = executablePath === "" ? " (skipped: chromium is not on PATH)" : "";

// The reference is large, and a browser beside a whole platform has little of a busy machine.
jest.setTimeout(120_000);
const SHOWN_MS = 100_000;

let platform: Platform;
let browser: Browser;

beforeAll(async () => {
  if (executablePath === "") return;
  platform = await startPlatform();
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args });
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});

describe("the API reference", () => {
  withChromium(`shows the operations and sends one with a token, loading nothing from elsewhere${reason}`, async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(SHOWN_MS);
    const troubles: string[] = [];
    const strangers: string[] = [];
    page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
    page.on("request", (request) => {
      const isOurs = request.url().startsWith(platform.url) || request.url().startsWith("data:");
      if (!isOurs) strangers.push(request.url());
    });
    await page.goto(`${platform.url}/docs`);
    await page.locator('[data-path="/api/core/contexts"]').first().waitFor();

    await page.getByRole("button", { name: "Authorize" }).click();
    await page
      .locator(".auth-container input")
      .first()
      .fill(await platform.token());
    await page.locator(".auth-btn-wrapper .authorize").click();
    await page.getByRole("button", { name: "Close" }).first().click();

    const operation = page.locator('.opblock-get:has([data-path="/api/core/orgs"])');
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const status = operation.locator(".live-responses-table .response-col_status").last();
    await status.waitFor();

    expect(await status.textContent()).toContain("200");
    expect({ troubles, strangers }).toEqual({ troubles: [], strangers: [] });
  });
});
