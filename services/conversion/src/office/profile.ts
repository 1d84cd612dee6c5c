import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes the settings of an office that opens files of strangers: nothing runs, nothing is fetched, nobody is asked. */
export async function writeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await writeFile(join(folder, "user", "registrymodifications.xcu"), `${HEAD}${items.join("\n")}\n</oor:items>\n`);
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
`;

const SCRIPTING = "Office.Common/Security/Scripting";
const NEVER = 2;
const MANUALLY = 2;

// Port 9 is a proxy that does not exist: the second line of defence where the network cannot be taken away.
const SETTINGS: readonly (readonly [path: string, name: string, value: string | number | boolean])[] = [
  [SCRIPTING, "BlockUntrustedRefererLinks", true],
  [SCRIPTING, "DisableMacrosExecution", true],
  [SCRIPTING, "MacroSecurityLevel", 3],
  ["Office.Common/Misc", "FirstRun", false],
  ["Office.Common/Misc", "UseLocking", false],
  ["Office.Recovery/AutoSave", "Enabled", false],
  ["Office.Recovery/RecoveryInfo", "Enabled", false],
  ["Office.Writer/Content/Update", "Link", NEVER],
  ["Office.Calc/Content/Update", "Link", NEVER],
  ["Inet/Settings", "ooInetProxyType", MANUALLY],
  ["Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPProxyPort", 9],
  ["Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPSProxyPort", 9],
  ["Inet/Settings", "ooInetNoProxy", ""],
  // Without a locale of its own a file gets A4, not Letter, and a decimal point.
  ["Setup/L10N", "ooSetupSystemLocale", "en-GB"],
];
