import { type HealthCheckResponse, HealthClient, HealthService } from "@assistant/proto/grpc/health/v1/health.js";
import { type ClientReadableStream, credentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../testing/eventually.js";
import { probeCall, type RunningProbe, startProbe } from "../testing/probe.js";
import { dial } from "./dial.js";

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

async function start() {
  const probe = await startProbe();
  const client = new HealthClient(probe.address, credentials.createInsecure());
  ending.push(
    () => probe.server.stop(0),
    () => client.close(),
  );
  return { probe, client };
}

function statusOf(probe: RunningProbe, service: string): Promise<HealthCheckResponse> {
  const peer = dial({ from: "friend", to: "probe", address: probe.address });
  ending.push(() => peer.close());
  return peer.call(HealthService.check, { service }, probeCall());
}

function watch(client: HealthClient, service: string) {
  const seen: string[] = [];
  const stream: ClientReadableStream<HealthCheckResponse> = client.watch({ service });
  stream.on("data", ({ status }) => seen.push(status));
  stream.on("error", ({ message }) => seen.push(message));
  stream.on("end", () => seen.push("end"));
  ending.push(() => stream.cancel());
  return { seen, stream };
}

describe("grpc.health.v1", () => {
  test("the server lives from the start and is ready when it says so, without a token", async () => {
    const { probe } = await start();
    expect(await statusOf(probe, "")).toEqual({ status: "SERVING" });
    expect(await statusOf(probe, "ready")).toEqual({ status: "NOT_SERVING" });
    probe.server.setReady(true);
    expect(await statusOf(probe, "ready")).toEqual({ status: "SERVING" });
  });

  test("an unknown name is not found", async () => {
    const { probe } = await start();
    // The peer's answer carries no fault of ours, so all that is known of it is the status.
    await expect(statusOf(probe, "nobody")).rejects.toThrow("NOT_FOUND");
  });

  test("List tells everything", async () => {
    const { client } = await start();
    const listed = new Promise((resolve, reject) => {
      client.list({}, (error, response) => (error === null ? resolve(response) : reject(error)));
    });
    expect(await listed).toEqual({ statuses: { "": { status: "SERVING" }, ready: { status: "NOT_SERVING" } } });
  });

  test("Watch tells the state and each change of it, and does not hold up the drain", async () => {
    const { probe, client } = await start();
    const ready = watch(client, "ready");
    const unknown = watch(client, "nobody");
    await eventually("the first states arrive", () => ready.seen.length === 1 && unknown.seen.length === 1);
    probe.server.setReady(true);
    probe.server.setReady(true);
    await eventually("the change arrives", () => ready.seen.length === 2);
    await probe.server.stop(10_000);
    await eventually("the stream ends", () => ready.seen.includes("end"));
    expect(ready.seen).toEqual(["NOT_SERVING", "SERVING", "NOT_SERVING", "end"]);
    expect(unknown.seen).toEqual(["SERVICE_UNKNOWN", "end"]);
  });
});
