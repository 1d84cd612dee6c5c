import { newId } from "@assistant/kit/process/id.js";
import { callAs, createTestIdentity, type TestIdentity } from "@assistant/kit/testing.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Catalog, serveCatalog } from "./testing/catalog.js";
import { useCases } from "./use-cases.js";

let identity: TestIdentity;
let catalog: Catalog;

beforeAll(async () => {
  identity = await createTestIdentity();
  catalog = await serveCatalog(identity.verifier);
});
afterAll(async () => {
  await catalog.close();
  await identity.close();
});

describe("a use case that identity needs", () => {
  test("is found with its label, as the caller", async () => {
    const orgId = newId("org");
    const id = catalog.addUseCase(orgId, { de: "Verträge", en: "Contracts" });
    expect(await ask(orgId, id)).toEqual({ id, label: { de: "Verträge", en: "Contracts" } });
  });

  test("is missing where there is none, or none that the caller may read", async () => {
    const orgId = newId("org");
    const id = catalog.addUseCase(newId("org"));
    expect(await outcome(ask(orgId, id))).toBe("missing");
    expect(await outcome(ask(orgId, newId("uc")))).toBe("missing");
    expect(await outcome(ask(orgId, "no id"))).toBe("missing");
  });

  test("is not told without a token", async () => {
    const id = catalog.addUseCase(newId("org"));
    expect(await outcome(useCases(catalog.peer).require(callAs({ token: "" }), id))).toBe("unauthenticated");
  });
});

async function ask(orgId: string, useCaseId: string) {
  const caller = callAs({ orgId }).caller;
  return useCases(catalog.peer).require(callAs({ ...caller, token: await identity.token(caller) }), useCaseId);
}

/** The kind of the fault; fails itself if the call did not fail. */
async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
  throw new Error("the call did not fail");
}
