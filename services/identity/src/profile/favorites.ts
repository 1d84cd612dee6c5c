import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { conflict, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { holdUseCase, requireUseCase } from "../links/use-case.js";
import type { NounParts } from "../parts.js";
import { insertFavorite, listFavorites, removeFavorite, removeFavoritesOf } from "../store/favorites.js";
import { lockProfile } from "../store/profiles.js";
import { ownerOf } from "./owner.js";

export function favorites({
  write,
  useCases,
}: NounParts): Handlers<Pick<typeof rpcs, "putFavorite" | "deleteFavorite">> {
  return {
    putFavorite: async (request, call) => {
      const key = ownerOf(call.caller);
      const useCase = await requireUseCase(useCases, call, given(request.use_case_id));
      return write(call, rpcs.putFavorite, request, async (tx) => {
        if (!(await lockProfile(tx, key))) {
          throw missing();
        }
        await holdUseCase(tx, key.orgId, useCase);
        const there = await listFavorites(tx, key);
        if (!there.includes(useCase.id)) {
          if (there.length >= FAVORITES_MAX) {
            throw conflict("state");
          }
          await insertFavorite(tx, key, useCase.id);
        }
        return { message: "Use case is a favorite" };
      });
    },

    deleteFavorite: async (request, call) => {
      const key = ownerOf(call.caller);
      return write.single(call, rpcs.deleteFavorite, request, async (tx) => {
        await removeFavorite(tx, key, given(request.use_case_id));
        return { message: "Use case is no favorite" };
      });
    },
  };
}

/** A use case is gone: it is nobody's favorite any more. */
export async function forgetFavorite(event: DomainEvent, tx: Tx): Promise<void> {
  await removeFavoritesOf(tx, event.orgId, event.subject);
}

const FAVORITES_MAX = 200;
