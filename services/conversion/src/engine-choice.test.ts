import { describe, expect, test } from "@jest/globals";
import type { Engine } from "./engine.js";
import { chooseEngine, engineFor } from "./engine-choice.js";
import type { Target } from "./format.js";
import { formatOf } from "./inspection/formats.js";

/** An engine as far as the choice looks at it. */
function engine(name: string, takes: Partial<Record<Target, string[]>>): Engine {
  const never = () => Promise.reject(new Error("the choice converts nothing"));
  return { name, version: "1", takes: (target) => new Set(takes[target]), convert: never, close: never };
}

const tables = engine("tables", { xlsx: ["csv", "html"] });
const basic = engine("basic", { pdf: ["pdf", "png"], xlsx: ["xlsx", "ods"] });
const office = engine("office", { pdf: ["docx", "png", "csv", "pdf"], xlsx: ["ods", "xlsx", "csv"] });
const gotenberg = engine("gotenberg", { pdf: ["docx", "png"] });
const all = [basic, gotenberg, office, tables];

describe("the choice of an engine", () => {
  test.each<[Target, string, string]>([
    ["pdf", "docx", "gotenberg"],
    ["pdf", "png", "gotenberg"],
    ["pdf", "csv", "office"],
    ["pdf", "pdf", "basic"],
    ["xlsx", "csv", "tables"],
    ["xlsx", "ods", "office"],
    ["xlsx", "xlsx", "basic"],
    ["xlsx", "html", "tables"],
  ])("where all are at work, to %s from %s: %s", (target, extension, name) => {
    expect(engineFor(() => all, target, extension)?.name).toBe(name);
    expect(engineFor(() => [...all].reverse(), target, extension)?.name).toBe(name);
  });

  test.each<[Target, string, string | undefined]>([
    ["pdf", "png", "basic"],
    ["pdf", "docx", undefined],
    ["xlsx", "ods", "basic"],
    ["xlsx", "csv", "tables"],
  ])("on a fresh machine, to %s from %s: %s", (target, extension, name) => {
    expect(engineFor(() => [tables, basic], target, extension)?.name).toBe(name);
  });

  test("goes by what is at work now", () => {
    let isUp = false;
    const coming: Engine = { ...office, takes: (target) => (isUp ? office.takes(target) : new Set()) };
    const now = () => engineFor(() => [basic, coming], "pdf", "docx")?.name;
    expect(now()).toBeUndefined();
    isUp = true;
    expect(now()).toBe("office");
  });

  test("throws that it may come, where there could be an engine, and what would do, where there never is one", () => {
    const choose = (target: Target, extension: string) => {
      const format = formatOf(extension);
      if (format === undefined) throw new Error(`no format ${extension}`);
      return () => chooseEngine(() => [tables, basic], target, format);
    };
    expect(choose("pdf", "docx")).toThrow(expect.objectContaining({ kind: "unavailable", retryAfterS: 60 }));
    expect(choose("xlsx", "dbf")).toThrow(expect.objectContaining({ kind: "unavailable" }));
    for (const extension of ["docx", "png", "pdf", "pptx"]) {
      expect(choose("xlsx", extension)).toThrow(expect.objectContaining({ kind: "unsupported" }));
    }
  });
});
