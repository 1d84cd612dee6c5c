import { methodRulesOf, platformRegistry } from "@assistant/kit/rules/descriptor.js";
import { expect, test } from "@jest/globals";

test("guests, whose session is good for one use case, may call exactly this, all of which only reads", () => {
  const methods = [...platformRegistry().files].flatMap((file) => file.services.flatMap((service) => service.methods));
  const forGuests = methods.filter((method) => methodRulesOf(method).guests);
  expect(forGuests.map((method) => `${method.parent.name}.${method.name}`).sort()).toEqual([
    "CallersService.GetCaller",
    "CatalogService.GetUseCase",
    "CatalogService.ListUseCases",
    "ContextsService.ResolveContexts",
    "GuidedFieldsService.GetUseCaseField",
    "GuidedFieldsService.ListUseCaseFields",
    "GuidedFieldsService.RenderUseCaseFields",
    "KnowledgeService.GetKnowledgeAsset",
    "KnowledgeService.ListKnowledgeAssets",
    "ProfileService.GetPermissions",
    "ProfileService.GetProfile",
    "SettingsService.GetPlatformSettings",
    "UseCaseContentService.ListAttachedKnowledgeAssets",
  ]);
  expect(forGuests.filter((method) => method.proto.options?.idempotencyLevel !== 1).map(({ name }) => name)).toEqual(
    [],
  );
});
