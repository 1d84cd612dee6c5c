import { callAs, quiet } from "@assistant/kit/testing.js";
import { ConversionServiceService as rpcs } from "@assistant/proto/assistant/conversion/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Engine } from "./engine.js";
import { basicEngine } from "./engines/basic-engine.js";
import { formats } from "./inspection/formats.js";
import { tablesEngine } from "./tables/tables-engine.js";
import { type Conversion, openConversion } from "./testing/conversion.js";
import { faultOf } from "./testing/engine-suite.js";

let conversion: Conversion;
let engines: Engine[];
beforeAll(async () => {
  engines = [tablesEngine(), basicEngine({ log: quiet, slots: 1, jobTimeoutMs: 10_000 })];
  conversion = await openConversion({ engines: () => engines });
});
afterAll(() => conversion.close());

async function listed(target: "pdf" | "xlsx") {
  const rpc = { pdf: rpcs.listPdfFormats, xlsx: rpcs.listXlsxFormats }[target];
  return (await conversion.peer.call(rpc, {}, await conversion.person().call())).items;
}

describe("the formats", () => {
  test("are those that an engine at work takes, by extension, with the engine that does", async () => {
    expect((await listed("pdf")).map(({ extension, engine }) => `${extension} ${engine}`)).toEqual([
      "jpg basic",
      "pdf basic",
      "png basic",
      "txt basic",
    ]);
    const xlsx = await listed("xlsx");
    expect(xlsx.find(({ extension }) => extension === "csv")).toEqual({
      extension: "csv",
      media_types: ["text/csv"],
      name: "Comma-separated values",
      engine: "tables",
    });
    expect(xlsx.map(({ extension }) => extension)).toEqual(xlsx.map(({ extension }) => extension).sort());
  });

  test("change with the engines", async () => {
    const known = new Set(formats.map(({ extension }) => extension));
    const takesAll: Engine = { ...tablesEngine(), name: "office", takes: () => known };
    engines.push(takesAll);
    expect(await listed("pdf")).toHaveLength(known.size);
    engines.pop();
    expect(await listed("pdf")).toHaveLength(4);
  });

  test("are told to those with a token only", async () => {
    const call = { ...callAs({}), caller: { ...callAs({}).caller, token: "" } };
    expect((await faultOf(conversion.peer.call(rpcs.listPdfFormats, {}, call))).kind).toBe("unauthenticated");
  });
});
