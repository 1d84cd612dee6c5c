import type { Format } from "@assistant/proto/assistant/common/v1/rules.js";
import { notADateTime, notADictionary, notAnHttpUrl, notAUrl, type Violation } from "./violation.js";

/** What is wrong with a string of this format; undefined for a format without syntax of its own. */
export function formatFailure(
  format: Format,
): ((text: string, path: readonly string[]) => Violation | undefined) | undefined {
  switch (format) {
    case "FORMAT_DATE_TIME":
      return (text, path) => (isDateTime(text) ? undefined : notADateTime(path));
    case "FORMAT_URL":
      return urlFailure;
    case "FORMAT_JSON_OBJECT":
      return (text, path) => (isJsonObject(text) ? undefined : notADictionary(path));
    case "FORMAT_UNSPECIFIED":
    case "UNRECOGNIZED":
      return undefined;
  }
}

/** An RFC 3339 date-time, of a day that there is. */
export function isDateTime(text: string): boolean {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)[Tt](.+)$/.exec(text) ?? [];
  return time !== undefined && TIME.test(time) && isDay(Number(year), Number(month), Number(day));
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDay(year: number, month: number, day: number): boolean {
  // Day 0 of the next month is the last of this one. The setter takes the years 0 to 99 as they are.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= last.getUTCDate();
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // Text that is no JSON is no object either, which is all that is asked.
    return false;
  }
}

function urlFailure(text: string, path: readonly string[]): Violation | undefined {
  if (/^[a-z][a-z\d+.-]*:/i.test(text) && !/^https?:/i.test(text)) {
    return notAnHttpUrl(path);
  }
  return URL.canParse(text) && /^https?:\/\/[^/]/i.test(text) && !/\s/.test(text) ? undefined : notAUrl(path);
}
