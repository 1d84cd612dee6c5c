import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import type { MagicLink } from "@assistant/proto/assistant/identity/v1/magic_links.js";
import { requireAdmin } from "../rights.js";
import { endSessions } from "../sessions/ending.js";
import { listMagicLinks, revokeMagicLink, revokeMagicLinks } from "../store/magic-links.js";
import { guestAccount } from "./guest-account.js";
import { makeLink } from "./link-making.js";
import { readLink, readLinks, showLinks } from "./link-reading.js";
import type { LinksParts } from "./magic-links.js";
import { type CurrentUseCase, requireUseCase } from "./use-case.js";

type Rpcs = Pick<
  typeof rpcs,
  "createQrLink" | "getNewestQrLink" | "rotateQrLink" | "listQrLinks" | "getQrLink" | "deleteQrLink"
>;

/** The links that let guests into one use case. */
export function qrLinks(parts: LinksParts): Handlers<Rpcs> {
  return { ...makers(parts), ...others(parts) };
}

type Makers = Pick<Rpcs, "createQrLink" | "rotateQrLink">;

function makers(parts: LinksParts): Handlers<Makers> {
  const { write } = parts;
  return {
    createQrLink: async (request, call) => {
      const useCase = await requireManaged(parts, request, call);
      return write(call, rpcs.createQrLink, request, async (tx) => ({
        magic_link: await makeQrLink(tx, useCase, request, parts, call),
      }));
    },

    rotateQrLink: async (request, call) => {
      const { orgId } = call.caller;
      const useCase = await requireManaged(parts, request, call);
      return write(call, rpcs.rotateQrLink, request, async (tx) => {
        const magic_link = await makeQrLink(tx, useCase, request, parts, call, () =>
          closeQrLinks(tx, orgId, useCase.id, parts.clock()),
        );
        return { magic_link };
      });
    },
  };
}

function others(parts: LinksParts): Handlers<Omit<Rpcs, keyof Makers>> {
  const { write, clock } = parts;
  return {
    getNewestQrLink: async (request, call) => {
      const { orgId } = call.caller;
      const owner = { useCaseId: (await requireManaged(parts, request, call)).id };
      return write(call, rpcs.getNewestQrLink, request, async (tx) => {
        const [newest] = await listMagicLinks(tx, orgId, owner, new Date(clock()));
        const [magic_link] = await showLinks(tx, orgId, owner, [found(newest)], parts);
        return { magic_link: found(magic_link) };
      });
    },

    listQrLinks: async (request, call) => {
      const owner = { useCaseId: (await requireManaged(parts, request, call)).id };
      return write(call, rpcs.listQrLinks, request, async (tx) => ({
        items: await readLinks(tx, call.caller.orgId, owner, parts),
      }));
    },

    getQrLink: async (request, call) => {
      const owner = { useCaseId: (await requireManaged(parts, request, call)).id };
      return write(call, rpcs.getQrLink, request, async (tx) => ({
        magic_link: await readLink(tx, call.caller.orgId, owner, given(request.token_id), parts),
      }));
    },

    deleteQrLink: async (request, call) => {
      const { orgId } = call.caller;
      const owner = { useCaseId: (await requireManaged(parts, request, call)).id };
      const linkId = given(request.token_id);
      return write(call, rpcs.deleteQrLink, request, async (tx) => {
        found(await revokeMagicLink(tx, orgId, owner, linkId, new Date(clock())));
        await endSessions(tx, orgId, { linkId });
        return { message: "QR link revoked" };
      });
    },
  };
}

/** Revokes all links to a use case, and ends the sessions that they opened. */
export async function closeQrLinks(tx: Tx, orgId: string, useCaseId: string, nowMs: number): Promise<void> {
  for (const { id } of await revokeMagicLinks(tx, orgId, { useCaseId }, new Date(nowMs))) {
    await endSessions(tx, orgId, { linkId: id });
  }
}

const LIFETIME_S = 30 * 86_400;

/** Admins alone manage the links of a use case; 404 for those who do not know of it. */
export async function requireManaged(
  { useCases }: Pick<LinksParts, "useCases">,
  request: { use_case_id?: string | undefined },
  call: Call,
): Promise<CurrentUseCase> {
  const useCase = await requireUseCase(useCases, call, given(request.use_case_id));
  requireAdmin(call.caller);
  return useCase;
}

interface QrWish {
  expires_in_s?: number | undefined;
  max_uses?: number | undefined;
}

/** `before` runs once nobody else can make links to the use case any more. */
async function makeQrLink(
  tx: Tx,
  useCase: CurrentUseCase,
  { expires_in_s: lifetimeS = LIFETIME_S, max_uses: maxUses }: QrWish,
  { keyring, clock }: LinksParts,
  call: Call,
  before: () => Promise<void> = async () => undefined,
): Promise<MagicLink> {
  const account = await guestAccount(tx, call.caller.orgId, useCase);
  await before();
  const wish = { useCaseId: useCase.id, lifetimeS, maxUses };
  return makeLink(tx, account, wish, { keyring, nowMs: clock() });
}

function found<Found>(it: Found | undefined): Found {
  if (it === undefined) {
    throw missing();
  }
  return it;
}
