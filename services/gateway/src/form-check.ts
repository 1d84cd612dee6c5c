import { fieldRequired, valueError, violation } from "@assistant/kit/rules/violation.js";
import { type ShowInput, shownText } from "./input.js";
import { FILE, FILE_PART, type Part } from "./multipart.js";
import type { Located } from "./refusal.js";
import type { Failures } from "./request-check.js";

/** What is wrong with a form that is to hold one file: of parts of one name the last counts. */
export function checkForm(parts: readonly Part[], isStrict: boolean, showInput: ShowInput): Failures {
  const unknown = isStrict ? unknownParts(parts, showInput) : [];
  return { located: [...fileFailures(parts, showInput), ...unknown], last: [] };
}

function fileFailures(parts: readonly Part[], showInput: ShowInput): readonly Located[] {
  const file = lastOf(parts, FILE_PART);
  if (file !== undefined && file.text === undefined) return [];
  const text = file?.text?.() ?? "";
  if (text === "") return [{ ...fieldRequired(FILE), input: null }];
  return [{ ...valueError(FILE, "Expected UploadFile, received: <class 'str'>"), input: showInput(text, FILE) }];
}

function unknownParts(parts: readonly Part[], showInput: ShowInput): readonly Located[] {
  const names = new Set(parts.map(({ name }) => name).filter((name) => name !== FILE_PART));
  return [...names].map((name) => {
    const loc = ["body", shownText(name)];
    const failure = violation(loc, "extra_forbidden", "Extra inputs are not permitted");
    return { ...failure, input: showInput(lastOf(parts, name)?.text?.(), loc) };
  });
}

function lastOf(parts: readonly Part[], name: string): Part | undefined {
  return parts.findLast((part) => part.name === name);
}
