import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import ExcelJS from "exceljs";
import { basicEngine } from "./engines/basic-engine.js";
import { tablesEngine } from "./tables/tables-engine.js";
import {
  type Conversion,
  type Converted,
  messagesOf,
  openConversion,
  type Person,
  rpcOf,
} from "./testing/conversion.js";
import { faultOf } from "./testing/engine-suite.js";
import { type GatedEngine, gated } from "./testing/gated-engine.js";
import { partsOf, zipOf } from "./testing/packages.js";

const MAX_BYTES = 200_000;
const BOOK = fileURLToPath(new URL("./testing/samples/formats/book.xlsx", import.meta.url));

let tables: GatedEngine;
let conversion: Conversion;
let person: Person;

beforeAll(async () => {
  tables = gated(tablesEngine());
  const basic = basicEngine({ log: quiet, slots: 2, jobTimeoutMs: 20_000 });
  conversion = await openConversion({ engines: () => [tables, basic], uploadMaxBytes: MAX_BYTES });
});
afterAll(async () => {
  await conversion.close();
  await tables.close();
});
beforeEach(() => {
  person = conversion.person();
});
afterEach(async () => {
  tables.open();
  // Whatever became of it, nothing stays.
  await until(async () => (await conversion.jobs()).length === 0);
});

/** A table that nobody has sent before. */
function csv(rows = 3): { name: string; target: "xlsx"; bytes: Buffer } {
  const lines = Array.from({ length: rows }, (_, at) => `${at},${randomBytes(4).toString("hex")}x`);
  return { name: "table.csv", target: "xlsx", bytes: Buffer.from(`${lines.join("\n")}\n`) };
}

async function cellOf({ bytes }: Converted, row: number, column: number): Promise<unknown> {
  const workbook = new ExcelJS.Workbook();
  // Its types know the buffers of an older Node.
  await workbook.xlsx.load(bytes as unknown as ExcelJS.Buffer);
  return workbook.worksheets[0]?.getRow(row).getCell(column).value;
}

const stepsOf = ({ head }: Converted) => head.timings.map(({ step }) => step);

describe("a conversion", () => {
  test("answers the head of the result and then its bytes, each under a name of its own", async () => {
    const upload = csv();
    const answer = await person.convert({ ...upload, name: "../Über mich.CSV" });
    const second = upload.bytes.toString().split("\n")[1]?.split(",")[1];
    expect(await cellOf(answer, 2, 2)).toBe(second);
    expect(answer.head).toMatchObject({
      name: "Über mich.xlsx",
      media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      etag: expect.stringMatching(/^[0-9a-f]{64}$/),
      size_bytes: answer.bytes.length,
    });
    expect(stepsOf(answer)[0]).toBe("inspect");
    expect(stepsOf(answer)).not.toContain("cache");
    for (const { duration_ms } of answer.head.timings) expect(duration_ms).toBeGreaterThanOrEqual(0);
  });

  test("hands back a PDF as it is, however often, and does not fill the cache with it", async () => {
    const bytes = Buffer.from(MINIMAL_PDF);
    for (let time = 0; time < 2; time += 1) {
      const answer = await person.convert({ name: "a.pdf", target: "pdf", bytes });
      expect(answer.bytes.equals(bytes)).toBe(true);
      expect(answer.head.media_type).toBe("application/pdf");
      expect(stepsOf(answer)).toEqual(["inspect"]);
    }
  });

  test("hands back a workbook as it is, unless there are programs in it: then it is written anew without them", async () => {
    const plain = readFileSync(BOOK);
    const answer = await person.convert({ name: "a.xlsx", target: "xlsx", bytes: plain });
    expect(answer.bytes.equals(plain)).toBe(true);
    const parts = await partsOf(plain);
    for (const name of ["xl/vbaProject.bin", "xl/macrosheets/sheet1.xml", "xl/activeX/activeX1.bin"]) {
      const active = await zipOf([...parts, [name, Buffer.from("Sub Auto_Open()")]]);
      const cleaned = await person.convert({ name: "a.xlsx", target: "xlsx", bytes: active });
      expect([...(await partsOf(cleaned.bytes)).keys()]).not.toContain(name);
      expect(await cellOf(cleaned, 2, 1)).toBe("00123");
    }
  });

  test("takes as many bytes as it may, and one more not", async () => {
    const line = "a,b\n";
    const most = { name: "a.csv", target: "xlsx", bytes: Buffer.from(line.repeat(MAX_BYTES / line.length)) } as const;
    expect((await person.convert(most)).bytes.length).toBeGreaterThan(0);
    const more = { ...most, bytes: Buffer.concat([most.bytes, Buffer.from("c")]) };
    const fault = await faultOf(person.convert(more));
    expect(fault.kind).toBe("large");
    expect(fault.violations[0]).toMatchObject({ path: ["file"], context: { max_bytes: MAX_BYTES } });
  });

  test("refuses a file without a byte, one that it does not know, and one that is not what its name says", async () => {
    const empty = await faultOf(person.convert({ name: "a.csv", target: "xlsx", bytes: Buffer.alloc(0) }));
    expect(empty.violations[0]?.type).toBe("file_empty");
    const unknown = await faultOf(person.convert({ name: "a.bin", target: "pdf", bytes: randomBytes(100) }));
    expect(unknown.kind).toBe("unsupported");
    const other = await faultOf(person.convert({ name: "a.docx", target: "pdf", bytes: Buffer.from(MINIMAL_PDF) }));
    expect(other.violations[0]?.context).toMatchObject({ detected: "pdf" });
  });

  test("says of what only an absent engine converts that it is unavailable, and of what none ever does what would do", async () => {
    const rtf = { name: "a.rtf", bytes: Buffer.from("{\\rtf1\\ansi Hello}") };
    const absent = await faultOf(person.convert({ ...rtf, target: "pdf" }));
    expect([absent.kind, absent.retryAfterS]).toEqual(["unavailable", 60]);
    const never = await faultOf(person.convert({ ...rtf, target: "xlsx" }));
    expect(never.kind).toBe("unsupported");
    expect(never.violations[0]?.context).toMatchObject({
      detected: "rtf",
      expected: expect.arrayContaining(["csv", "ods"]),
    });
  });

  test("refuses parts that are out of order", async () => {
    const call = await person.call();
    const chunk = { part: { $case: "chunk" as const, value: Buffer.from("a,b\n") } };
    const headless = async function* () {
      yield chunk;
    };
    const answers = conversion.peer.stream(rpcOf.xlsx, headless(), call);
    expect((await faultOf(drained(answers))).kind).toBe("invalid");
  });

  test("is for those with a token only", async () => {
    const call = { ...(await person.call()), caller: { ...person.caller, token: "" } };
    const fault = await faultOf(drained(conversion.peer.stream(rpcOf.xlsx, messagesOf(csv()), call)));
    expect(fault.kind).toBe("unauthenticated");
  });

  test("is not for guests", async () => {
    const guest = conversion.person({ useCaseId: "uc_1" });
    expect((await faultOf(guest.convert(csv()))).kind).toBe("denied");
  });

  test("of a client that goes away while it sends leaves nothing", async () => {
    const gone = new AbortController();
    const sending = async function* () {
      yield* messagesOf({ name: "a.csv", bytes: Buffer.from("a,b\n") });
      await until(async () => (await conversion.jobs()).some((path) => path.endsWith("input")));
      gone.abort(new Fault("late", "the client went away"));
      // As a client that says no more.
      await new Promise(() => {});
    };
    const call = await person.call({ signal: gone.signal });
    expect((await faultOf(drained(conversion.peer.stream(rpcOf.xlsx, sending(), call)))).kind).toBe("late");
  });

  test("of a client that goes away while an engine works ends that work, and leaves nothing", async () => {
    tables.shut();
    const begun = tables.jobs.length;
    const gone = new AbortController();
    const abandoned = faultOf(person.convert(csv(), { signal: gone.signal }));
    await until(() => tables.jobs.length > begun);
    gone.abort(new Fault("late", "the client went away"));
    expect((await abandoned).kind).toBe("late");
    await until(() => tables.jobs.at(-1)?.signal.aborted === true);
  });

  test("of a client that goes away while it reads leaves nothing", async () => {
    const answers = conversion.peer.stream(rpcOf.xlsx, messagesOf(csv(5_000)), await person.call());
    for await (const { part } of answers) {
      expect(part?.$case).toBe("head");
      break;
    }
  });
});

describe("the same file again", () => {
  test("comes from the cache, byte for byte, under the same tag", async () => {
    const upload = csv();
    const first = await person.convert(upload);
    const begun = tables.jobs.length;
    const second = await person.convert({ ...upload, name: "other name.csv" });
    expect(tables.jobs.length).toBe(begun);
    expect(stepsOf(second)).toEqual(["inspect", "cache"]);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(second.head.etag).toBe(first.head.etag);
    expect(second.head.name).toBe("other name.xlsx");
  });

  test("of another person of the org comes from the cache too, but never of another org", async () => {
    const upload = csv();
    const first = await person.convert(upload);
    const colleague = await conversion.person({ orgId: person.caller.orgId }).convert(upload);
    expect(stepsOf(colleague)).toContain("cache");
    const stranger = await conversion.person().convert(upload);
    expect(stepsOf(stranger)).not.toContain("cache");
    expect(stranger.head.etag).not.toBe(first.head.etag);
    expect(stranger.bytes.equals(first.bytes)).toBe(true);
  });

  test("is converted anew as another format", async () => {
    const upload = csv();
    await person.convert(upload);
    expect(stepsOf(await person.convert({ ...upload, name: "table.txt" }))).not.toContain("cache");
  });

  test("by many at the same time is converted once, for each org", async () => {
    tables.shut();
    const begun = tables.jobs.length;
    const upload = csv();
    const other = conversion.person();
    const answers = [1, 2, 3, 4, 5].map(() => person.convert(upload));
    const others = [1, 2, 3].map(() => other.convert(upload));
    await until(() => tables.jobs.length === begun + 2);
    tables.open();
    const results = await Promise.all([...answers, ...others]);
    expect(new Set(results.map(({ bytes }) => sha256(bytes))).size).toBe(1);
    expect(new Set(results.map(({ head }) => head.etag)).size).toBe(2);
    expect(tables.jobs.length).toBe(begun + 2);
  });

  test("goes on for the others when who came first goes away", async () => {
    tables.shut();
    const begun = tables.jobs.length;
    const upload = csv();
    const gone = new AbortController();
    const first = faultOf(person.convert(upload, { signal: gone.signal }));
    await until(() => tables.jobs.length === begun + 1);
    const second = person.convert(upload);
    // Of each upload, and of the work: when it has its name the upload has been looked at, and joins.
    await until(async () => (await conversion.jobs()).filter((path) => path.endsWith("input.csv")).length === 3);
    gone.abort(new Fault("late", "the client went away"));
    await first;
    tables.open();
    expect((await second).bytes.length).toBeGreaterThan(0);
    expect(tables.jobs.length).toBe(begun + 1);
  });

  test("has its own time, though who came first had less", async () => {
    tables.shut();
    const begun = tables.jobs.length;
    const upload = csv();
    const first = faultOf(person.convert(upload, { deadlineMs: Date.now() + 1_500 }));
    await until(() => tables.jobs.length === begun + 1);
    const second = person.convert(upload);
    await until(async () => (await conversion.jobs()).filter((path) => path.endsWith("input.csv")).length === 3);
    expect((await first).kind).toBe("late");
    tables.open();
    expect((await second).bytes.length).toBeGreaterThan(0);
  });

  test("is tried again after it failed", async () => {
    const upload = { name: "a.csv", target: "xlsx", bytes: Buffer.from(`"${"x".repeat(40_000)}"\n`) } as const;
    const begun = tables.jobs.length;
    for (let time = 0; time < 2; time += 1) {
      expect((await faultOf(person.convert(upload))).violations[0]?.type).toBe("sheet_limit_exceeded");
    }
    expect(tables.jobs.length).toBe(begun + 2);
  });
});

async function drained(answers: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of answers);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const MINIMAL_PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]>>endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000052 00000 n 
0000000101 00000 n 
trailer<</Size 4/Root 1 0 R>>
startxref
163
%%EOF
`;
