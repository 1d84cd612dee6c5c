import { sheetLimits } from "./limits.js";
import { withoutForbidden } from "./xml-text.js";

/** The text of an element as a reader sees it: white space runs together, blocks and breaks begin lines. */
export interface CellText {
  add(text: string, isPreformatted: boolean): void;
  /** A line ends here, however little is on it. */
  breakLine(): void;
  /** A block begins or ends here: what follows is on another line. */
  breakBlock(): void;
  /** Undefined if it is longer than a cell can hold. */
  end(): string | undefined;
}

export function cellText(): CellText {
  let text = "";
  let breaks = 0;
  let isTooLong = false;
  // Remembered, for to look at the end of a text that grows is to copy it.
  let endsInSpace = true;
  return {
    add(piece, isPreformatted) {
      const seen = isPreformatted ? piece.replace(/\r\n?/g, "\n") : collapsed(piece, endsInSpace || breaks > 0);
      if (seen === "") return;
      isTooLong ||= text.length + breaks + seen.length > 2 * sheetLimits.cellCharacters;
      if (isTooLong) return;
      text += (text === "" ? "" : "\n".repeat(breaks)) + seen;
      endsInSpace = seen.endsWith(" ");
      breaks = 0;
    },
    breakLine() {
      breaks += 1;
    },
    breakBlock() {
      breaks = Math.max(breaks, 1);
    },
    end() {
      const kept = withoutForbidden(text)
        .replace(/[ \t]+\n/g, "\n")
        .trim();
      return isTooLong || kept.length > sheetLimits.cellCharacters ? undefined : kept;
    },
  };
}

/** No-break spaces stay: they part digits, and words that belong together. */
function collapsed(text: string, isAfterSpace: boolean): string {
  const single = text.replace(/[ \t\r\n\f]+/g, " ");
  return isAfterSpace && single.startsWith(" ") ? single.slice(1) : single;
}
