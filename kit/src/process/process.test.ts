import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";

// The compiled module, in a process of its own: it is about the end of processes. `npm test` builds first.
const KIT = new URL("../../dist/process/", import.meta.url).href;

const SERVICE = `
  import { createLog } from "${KIT}log.js";
  import { onStop } from "${KIT}process.js";
  const [, stop = "return"] = process.argv;
  const log = createLog("test", "0", "info");
  let stops = 0;
  onStop(log, async () => {
    stops++;
    await new Promise((resolve) => setTimeout(resolve, 300));
    log.info({ stops }, "stopped");
    if (stop === "throw") throw new Error("cannot stop");
  });
  setInterval(() => {}, 1000);
  if (stop === "crash") setTimeout(() => { throw new Error("a bug"); }, 0);
  if (stop === "reject") setTimeout(() => Promise.reject(new Error("a forgotten promise")), 0);
  log.info("started");
`;

describe("the end of a process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s runs stop once, however often it comes, and exits 0",
    async (signal) => {
      const service = await start();
      service.child.kill(signal);
      await service.says("stopping");
      service.child.kill(signal);
      expect(await service.exit()).toBe(0);
      expect(service.output()).toContain('"stops":1');
      expect(service.output()).not.toContain('"stops":2');
    },
  );

  test("losing the parent that started it stops it", async () => {
    const service = await start();
    service.child.disconnect();
    expect(await service.exit()).toBe(0);
    expect(service.output()).toContain('"stops":1');
  });

  test("a stop that fails is logged and exits 1", async () => {
    const service = await start("throw");
    service.child.kill("SIGTERM");
    expect(await service.exit()).toBe(1);
    expect(service.output()).toContain("cannot stop");
  });

  test.each([
    ["crash", "a bug"],
    ["reject", "a forgotten promise"],
  ])("what nobody caught (%s) is logged and exits 1 without a stop", async (stop, text) => {
    const service = await start(stop);
    expect(await service.exit()).toBe(1);
    expect(service.output()).toContain(text);
    expect(service.output()).not.toContain("stops");
  });
});

async function start(stop = "return") {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", SERVICE, stop], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  if (child.stdout === null) throw new Error("its output is not ours");
  // Not "close": it never comes once the channel was left.
  const exited = Promise.all([once(child, "exit"), once(child.stdout, "end")]);
  const lines = linesOf(child);
  await lines.says("started");
  return { child, ...lines, exit: async () => (await exited)[0][0] as unknown };
}

function linesOf(child: ChildProcess) {
  let output = "";
  let changed = () => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    changed();
  });
  const says = (text: string) =>
    new Promise<void>((resolve) => {
      changed = () => output.includes(`"msg":"${text}"`) && resolve();
      changed();
    });
  return { output: () => output, says };
}
