import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

const root = join(import.meta.dirname, "../..");
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform();
}, 90_000);
afterAll(() => platform.stop());

describe("the README's commands", () => {
  test("work as printed, in their order, in one shell", async () => {
    const { answers } = await runReadme();
    expect(answers).toHaveLength(4);
    const [found, mistake, refused, link] = answers;
    expect(found).toMatch(/^HTTP\/1\.1 200 [\s\S]*ETag: "1"[\s\S]*"title":"Brevity"/i);
    const types = JSON.parse(mistake ?? "").detail.map((entry: { type: string }) => entry.type);
    expect(types).toEqual(["string_type", "greater_than_equal", "missing"]);
    expect(refused).toMatch(/^HTTP\/1\.1 403 [\s\S]*"type":"forbidden"/);
    const { origin, pathname, hash } = new URL(link ?? "");
    expect([origin, pathname, hash]).toEqual([platform.url, "/login/magic", expect.stringMatching(/^#t=aml_\w{49}$/)]);
    const [picture, document, workbook] = ["qr.png", "license.pdf", "prices.xlsx"].map(written);
    expect(picture?.subarray(1, 4).toString()).toBe("PNG");
    expect(document?.subarray(0, 5).toString()).toBe("%PDF-");
    expect(workbook?.subarray(0, 2).toString()).toBe("PK");
  });
});

function written(name: string): Buffer {
  return readFileSync(join(process.env.TMPDIR ?? "/tmp", name));
}

/** Commands that print are told apart by a line after each block. */
async function runReadme(): Promise<{ answers: string[] }> {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const section = text.slice(text.indexOf("## Try"), text.indexOf("## Develop"));
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? "");
  const mark = "---- end of block ----";
  const script = ["set -eu", ...blocks.flatMap((block) => [block, `echo; echo '${mark}'`])].join("\n");
  const here = script.replace("http://127.0.0.1:8080", platform.url);
  const env = { ...process.env, PORT: new URL(platform.url).port };
  const { stdout } = await promisify(execFile)("bash", ["-c", here], { cwd: root, env });
  const answers = stdout.split(mark).map((answer) => answer.trim());
  return { answers: answers.filter((answer) => answer !== "") };
}
