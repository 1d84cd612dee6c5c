import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { createLog } from "@assistant/kit/process/log.js";
import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Listener, startListener } from "../http/listener.js";
import { createPages } from "../pages/pages.js";
import { installProgram, tokenOf } from "../testing/clients.js";
import { consume, newLink, newQrLink, replicaOf } from "../testing/links.js";
import { type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { magicLoginRouter } from "./magic-login-router.js";

let platform: Platform;
let admin: Person;
let listener: Listener;
let lines = "";

beforeAll(async () => {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines += String(chunk);
      done();
    },
  });
  const log = createLog("identity", "0", "trace", destination);
  platform = await openPlatform({ log });
  admin = await rootOf(platform);
  const pages = createPages({ publicUrl: platform.issuer });
  const routers = [magicLoginRouter({ ...replicaOf(platform), pages })];
  listener = await startListener({ listen: "127.0.0.1:0", routers, pages, trustedProxies: [], log });
});

afterAll(async () => {
  await listener.stop(1_000);
  await platform.close();
});

/** Every row of every table, and whatever else a dump of the database would hold, as text. */
async function dump(): Promise<string> {
  const tables = "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'";
  const names = await platform.db.query<{ name: string }>("list_tables", tables, []);
  expect(names.length).toBeGreaterThan(15);
  const texts: string[] = [];
  for (const { name } of names) {
    const rows = await platform.db.query<{ row: string }>(
      `dump_${name}`,
      `select t::text as row from ${name} as t`,
      [],
    );
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join("\n");
}

/** How a secret may be written down. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")];
}

/** Lets people and programs do all that they do with secrets, well and badly; answers the secrets. */
async function live(): Promise<string[]> {
  const program = await installProgram(admin);
  const beside = { idempotencyKey: randomBytes(8).toString("hex") };
  const request = { service_account_id: program.id, max_uses: 9 };
  const { answer } = await admin.exchange(LinksServiceService.createMagicLink, request, beside);
  const kept = await admin.exchange(LinksServiceService.createMagicLink, request, beside);
  expect(kept.answer).toEqual(answer);
  const token = answer.magic_link?.token ?? "";
  const [used, qr] = [await newLink(admin), await newQrLink(platform, admin)];
  const sessions = [
    await consume(platform, token),
    await consume(platform, used.token),
    await consume(platform, qr.token),
  ];
  await refusal(consume(platform, used.token));
  const refresh_token = sessions[0]?.refresh_token ?? "";
  const prolonging = { grant_type: "refresh_token", refresh_token };
  const next = await platform.bearer("").ask(rpcs.issueToken, prolonging);
  const own = await tokenOf(platform, program);
  await refusal(tokenOf(platform, { ...program, id: admin.id }));
  await admin.ask(LinksServiceService.listMagicLinks, { service_account_id: program.id });
  await admin.ask(LinksServiceService.getQrLinkSvg, qr);
  await browse(token, refresh_token);
  return [
    ...[token, used.token, qr.token, program.key.key, own.access_token, admin.token],
    ...[...sessions, next].flatMap((session) => [session.access_token, session.refresh_token ?? ""]),
  ];
}

async function browse(token: string, refreshToken: string): Promise<void> {
  const url = `http://127.0.0.1:${listener.port}/login/magic`;
  await (await fetch(`${url}?t=${token}`, { headers: { referer: `${url}?t=${token}` } })).text();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    origin: platform.issuer,
    cookie: `__Host-refresh=${refreshToken}`,
  };
  for (const body of [`token=${token}&step=look`, `token=${token}&step=consume`, `token=${token}x&step=consume`]) {
    await (await fetch(url, { method: "POST", headers, body, redirect: "manual" })).text();
  }
}

describe("tokens of links, refresh tokens, keys and access tokens", () => {
  test("are in no log line, no event and no row of the database, however written down", async () => {
    const secrets = await live();
    expect(new Set(secrets).size).toBe(secrets.length);
    const rows = await dump();
    // There is something to search in.
    expect(lines).toContain("/login/magic");
    expect(rows).toContain("identity.magic_link.used");
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(40);
      for (const spelling of spellings(secret)) {
        expect(lines.includes(spelling)).toBe(false);
        expect(rows.includes(spelling)).toBe(false);
      }
      // Nor the part that matters, without its prefix.
      expect(lines.includes(secret.slice(-24))).toBe(false);
      expect(rows.includes(secret.slice(-24))).toBe(false);
    }
  });
});
