import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ConversionServiceService } from "@assistant/proto/assistant/conversion/v1/service.js";
import { conversions } from "./conversions.js";
import type { Engines } from "./engine-choice.js";
import { formatLists } from "./format-lists.js";
import type { Results } from "./results.js";
import type { WorkFolder } from "./work-folder.js";

export interface ConversionServiceParts {
  readonly work: WorkFolder;
  readonly results: Results;
  readonly engines: Engines;
  readonly uploadMaxBytes: number;
}

export function conversionService(parts: ConversionServiceParts): Handlers<ConversionServiceService> {
  return { ...conversions(parts), ...formatLists(parts.engines) };
}
