import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ConversionFormat } from "@assistant/proto/assistant/conversion/v1/formats.js";
import type { ConversionServiceService } from "@assistant/proto/assistant/conversion/v1/service.js";
import { type Engines, engineFor } from "./engine-choice.js";
import type { Target } from "./format.js";
import { formats } from "./inspection/formats.js";

/** What can be converted at this moment; that changes while an office is being installed, or a Gotenberg is down. */
export function formatLists(
  engines: Engines,
): Pick<Handlers<ConversionServiceService>, "listPdfFormats" | "listXlsxFormats"> {
  return {
    listPdfFormats: async () => ({ items: formatsOf("pdf", engines) }),
    listXlsxFormats: async () => ({ items: formatsOf("xlsx", engines) }),
  };
}

function formatsOf(target: Target, engines: Engines): ConversionFormat[] {
  const items = formats.flatMap(({ extension, mediaTypes, name }): ConversionFormat[] => {
    const engine = engineFor(engines, target, extension)?.name;
    return engine === undefined ? [] : [{ extension, media_types: [...mediaTypes], name, engine }];
  });
  return items.sort((one, other) => (one.extension < other.extension ? -1 : 1));
}
