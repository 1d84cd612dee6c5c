import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { cutConnections } from "../testing/cut-connections.js";
import { faultOf } from "../testing/faults.js";
import { createTestNats, natsMissing } from "../testing/nats.js";
import { until } from "../testing/until.js";
import { createTestDatabase, quiet } from "../testing.js";
import type { Notices } from "./notices.js";
import { openNotices } from "./open-notices.js";

interface Channel {
  readonly wiring: { readonly natsUrl?: string; readonly postgresUrl?: string };
  /** Breaks off every connection; whoever listens has to come back. */
  cut(): Promise<void>;
  close(): Promise<void>;
}

const kinds: { name: string; reason: string | undefined; start(): Promise<Channel> }[] = [
  {
    name: "notices over Postgres",
    reason: undefined,
    async start() {
      const { url, close } = await createTestDatabase({});
      return { wiring: { postgresUrl: url }, cut: () => cutConnections(url), close };
    },
  },
  {
    name: "notices over NATS",
    reason: natsMissing(),
    async start() {
      const nats = await createTestNats();
      const cut = async () => {
        await nats.kill();
        await nats.start();
      };
      return { wiring: { natsUrl: nats.url }, cut, close: nats.close };
    },
  },
];

for (const { name, reason, start } of kinds) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let channel: Channel;
    const opened: Notices[] = [];

    beforeAll(async () => {
      channel = await start();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((notices) => notices.close()));
    });
    afterAll(() => channel.close());

    const open = () => {
      const notices = openNotices({ name: "test", ...channel.wiring, log: quiet, probeMs: 20 });
      opened.push(notices);
      return notices;
    };
    const listen = async (notices: Notices, subject = "test.told") => {
      const heard: string[] = [];
      const seen = { heard, opened: 0, alive: 0 };
      await notices.listen(subject, {
        hear: (text) => heard.push(text),
        opened: () => {
          seen.opened += 1;
        },
        alive: () => {
          seen.alive += 1;
        },
      });
      return seen;
    };

    test("reach everybody who listens, the teller too, in the order in which they were told", async () => {
      const teller = open();
      const listeners = [await listen(teller), await listen(open()), await listen(open())];
      expect(listeners.map((seen) => seen.opened)).toEqual([1, 1, 1]);
      await teller.tell("test.told", ["one", "two"]);
      await teller.tell("test.told", ["three"]);
      await until(() => listeners.every(({ heard }) => heard.length === 3));
      for (const { heard } of listeners) expect(heard).toEqual(["one", "two", "three"]);
    });

    test("of one subject are not heard by those of another", async () => {
      const notices = open();
      const [mine, others] = [await listen(notices), await listen(notices, "test.other")];
      await notices.tell("test.other", ["theirs"]);
      await notices.tell("test.told", ["ours"]);
      await until(() => mine.heard.length === 1 && others.heard.length === 1);
      expect([mine.heard, others.heard]).toEqual([["ours"], ["theirs"]]);
    });

    test("that nobody listens to are lost without harm", async () => {
      await open().tell("test.told", ["to nobody"]);
      const seen = await listen(open());
      await open().tell("test.told", ["to somebody"]);
      await until(() => seen.heard.length > 0);
      expect(seen.heard).toEqual(["to somebody"]);
    });

    test("carry 7,500 bytes", async () => {
      const notices = open();
      const seen = await listen(notices);
      await notices.tell("test.told", ["x".repeat(7_500)]);
      await until(() => seen.heard.length === 1);
      expect(seen.heard[0]).toHaveLength(7_500);
    });

    test("a listener is told now and then that it still listens", async () => {
      const seen = await listen(open());
      await until(() => seen.alive > 2);
      expect(seen.opened).toBe(1);
    });

    test("whoever was cut off listens again, is told so, and hears what is told from then on", async () => {
      const [notices, teller] = [open(), open()];
      const seen = await listen(notices);
      await channel.cut();
      await until(() => seen.opened === 2);
      await until(async () => (await faultOf(teller.tell("test.told", ["again"]))) === undefined);
      await until(() => seen.heard.includes("again"));
    });
  });
}

describe.each([
  ["Postgres", { postgresUrl: "postgres://nobody@127.0.0.1:9/nowhere" }],
  ["NATS", { natsUrl: "nats://127.0.0.1:9" }],
])("while %s is away", (_name, wiring) => {
  test("telling fails as unavailable, listening waits for nobody, and closing works", async () => {
    const notices = openNotices({ name: "test", ...wiring, log: quiet });
    expect(await faultOf(notices.tell("test.told", ["x"]))).toBe("unavailable");
    let openings = 0;
    const count = () => {
      openings += 1;
    };
    await notices.listen("test.told", { hear: count, opened: count, alive: count });
    expect(openings).toBe(0);
    await notices.close();
  });
});

test("without any channel a process does not start", () => {
  expect(() => openNotices({ name: "test", log: quiet })).toThrow("NATS_URL or BUS_DATABASE_URL must be set");
});
