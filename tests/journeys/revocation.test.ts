import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { natsMissing } from "@assistant/kit/testing/nats.js";
import { until } from "@assistant/kit/testing/until.js";
import { ContextsServiceClient } from "@assistant/proto/assistant/contexts/v1/service.js";
import { credentials, Metadata, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

const SOON_MS = 2_000;
// Identity has to come back first.
const AT_LAST_MS = 45_000;

const channels = [
  { name: "over the built-in bus", reason: undefined, words: ["--no-demo", "--no-nats"] },
  { name: "over NATS", reason: natsMissing(), words: ["--no-demo"] },
];

for (const { name, reason, words } of channels) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let platform: Platform;
    let contexts: ContextsServiceClient;
    let admin: string;
    let orgId: string;
    let count = 0;

    beforeAll(async () => {
      platform = await startPlatform({ words });
      const port = (await readFile(join(platform.folder, "ports/contexts"), "utf8")).trim();
      contexts = new ContextsServiceClient(`127.0.0.1:${port}`, credentials.createInsecure());
      admin = await platform.token();
      const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", admin)).items[0];
      if (!org) throw new Error("the platform started without an org");
      orgId = org.id;
    }, 90_000);
    afterAll(async () => {
      contexts?.close();
      await platform?.stop();
    });

    /** An editor with a token that gateway and contexts have taken before. */
    const hired = async () => {
      count += 1;
      const email = `editor${count}@revoked.example`;
      const user = { email, name: "Editor", role: "editor" };
      const { id } = await platform.post<{ id: string }>("/api/core/users", admin, user);
      const token = await platform.token(email);
      expect([(await atGateway(token)).status, await atContexts(token)]).toEqual([200, status.OK]);
      return { id, email, token };
    };
    const atGateway = (token: string) =>
      fetch(`${platform.url}/api/core/contexts`, { headers: { authorization: `Bearer ${token}` } });
    const atContexts = (token: string) => {
      const metadata = new Metadata();
      metadata.set("authorization", `Bearer ${token}`);
      return new Promise<status>((resolve) => {
        contexts.listContexts({}, metadata, (error) => resolve(error?.code ?? status.OK));
      });
    };
    const lower = async (userId: string) => {
      const answer = await fetch(`${platform.url}/api/core/orgs/${orgId}/members/${userId}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        body: JSON.stringify({ role: "member" }),
      });
      expect(answer.status).toBe(200);
    };
    const isRefused = async (token: string) =>
      (await atGateway(token)).status === 401 && (await atContexts(token)) === status.UNAUTHENTICATED;

    test("a token from before a role was lowered is refused within 2 s by the gateway and by every service; a new one is taken", async () => {
      const { id, email, token } = await hired();
      await lower(id);
      await until(() => isRefused(token), SOON_MS);
      const answer = await atGateway(token);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(await answer.json()).toMatchObject({
        detail: [{ type: "unauthenticated", ctx: { error: "invalid_token" } }],
      });
      const fresh = await platform.token(email);
      expect([(await atGateway(fresh)).status, await atContexts(fresh)]).toEqual([200, status.OK]);
    });

    test("identity killed right after it answered: the token is refused all the same, and nobody else's is", async () => {
      const [revoked, other] = [await hired(), await hired()];
      const victim = await platform.pidOf("identity");
      await lower(revoked.id);
      process.kill(victim, "SIGKILL");
      await until(() => isRefused(revoked.token), AT_LAST_MS);
      expect([(await atGateway(other.token)).status, await atContexts(other.token)]).toEqual([200, status.OK]);
    }, 90_000);
  });
}
