import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import type { Log } from "@assistant/kit/process/log.js";
import type { Engine } from "./engine.js";
import type { Engines } from "./engine-choice.js";
import { basicEngine } from "./engines/basic-engine.js";
import { openGotenbergEngine } from "./engines/gotenberg-engine.js";
import { defaultSlots } from "./office/default-slots.js";
import { findOffice } from "./office/find-office.js";
import { openOfficeEngine } from "./office/office-engine.js";
import { watchOffice } from "./office-watch.js";
import { tablesEngine } from "./tables/tables-engine.js";

export interface EnginesOptions {
  /** Of this process alone. */
  readonly folder: string;
  readonly gotenbergUrl: string | undefined;
  readonly officePath: string | undefined;
  /** 0: no office, even where there is one; undefined: as many as the machine bears. */
  readonly officeSlots: number | undefined;
  readonly officeStateFile: string | undefined;
  readonly jobTimeoutMs: number;
  readonly log: Log;
}

export interface OpenEngines {
  readonly engines: Engines;
  close(): Promise<void>;
}

/** All engines that the environment allows. The office may come later; nobody waits for it. */
export function openEngines(options: EnginesOptions): OpenEngines {
  const { gotenbergUrl, officeSlots, log } = options;
  const basic = basicEngine({ log, slots: availableParallelism(), jobTimeoutMs: options.jobTimeoutMs });
  const lasting: Engine[] = [tablesEngine(), basic];
  if (gotenbergUrl !== undefined) lasting.push(openGotenbergEngine({ url: gotenbergUrl, log }));
  const office = officeSlots === 0 ? undefined : watch(options);
  return {
    engines: () => {
      const engine = office?.engine();
      return engine === undefined ? [...lasting] : [...lasting, engine];
    },
    async close() {
      await Promise.all([office?.stop(), ...lasting.map((engine) => engine.close())]);
    },
  };
}

function watch({ folder, officePath, officeSlots, officeStateFile, jobTimeoutMs, log }: EnginesOptions) {
  // In a container it may be less than the machine has.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const slots = officeSlots ?? defaultSlots({ cores: availableParallelism(), memoryBytes });
  return watchOffice({
    find: () => findOffice(officePath),
    open: (path) => openOfficeEngine({ officePath: path, slots, folder: join(folder, "office"), jobTimeoutMs, log }),
    stateFile: officeStateFile,
    log,
  });
}
