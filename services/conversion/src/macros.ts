import { isNativeError } from "node:util/types";
import { openPromise } from "yauzl";
import { corrupt } from "./faults.js";

/** Whether an OOXML package holds programs: VBA, Excel 4 macro sheets, controls that run code. Throws `corrupt`. */
export async function hasMacros(path: string): Promise<boolean> {
  try {
    const zip = await openPromise(path, { lazyEntries: true });
    for await (const { fileName } of zip.eachEntry()) {
      if (ACTIVE.test(fileName)) return true;
    }
    return false;
  } catch (cause) {
    // What the disk says is not about the content.
    throw isNativeError(cause) && "code" in cause ? cause : corrupt();
  }
}

const ACTIVE = /(?:^|\/)(?:vba[^/]*\.(?:bin|xml)|(?:macrosheets|dialogsheets|activeX|customUI)\/[^/]+)$/i;
