import { calls as catalog } from "@assistant/catalog/config.js";
import { calls as contexts } from "@assistant/contexts/config.js";
import { calls as conversion } from "@assistant/conversion/config.js";
import { calls as gateway } from "@assistant/gateway/config.js";
import { calls as identity } from "@assistant/identity/config.js";
import { describe, expect, test } from "@jest/globals";

const table: Record<string, { readonly allowedCallers: readonly string[]; readonly peers: readonly string[] }> = {
  catalog,
  contexts,
  conversion,
  gateway,
  identity,
};

describe("who may call whom", () => {
  test("every service lets in exactly those who call it", () => {
    for (const [name, { allowedCallers }] of Object.entries(table)) {
      const callers = Object.keys(table).filter((caller) => table[caller]?.peers.includes(name));
      expect({ name, callers: [...allowedCallers].sort() }).toEqual({ name, callers: callers.sort() });
    }
  });

  test("nobody calls the gateway, catalog and conversion nobody but identity, contexts nobody but catalog and identity", () => {
    expect(table.gateway?.allowedCallers).toEqual([]);
    expect(table.catalog?.peers).toEqual(["identity"]);
    expect(table.conversion?.peers).toEqual(["identity"]);
    expect(table.contexts?.peers).toEqual(["catalog", "identity"]);
  });
});
