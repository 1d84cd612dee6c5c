import { createHash } from "node:crypto";
import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { File } from "@assistant/proto/assistant/common/v1/file.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { toBuffer, toString as toText } from "qrcode";
import { readLink } from "./link-reading.js";
import type { LinksParts } from "./magic-links.js";
import { requireManaged } from "./qr-links.js";

export interface CodesParts extends LinksParts {
  /** The address that browsers know us by. */
  issuer: string;
}

/** The QR codes of links. Whoever sees one has the link: that, too, is told as an event. */
export function qrCodes(parts: CodesParts): Handlers<Pick<typeof rpcs, "getQrLinkSvg" | "getQrLinkPng">> {
  const { write } = parts;
  return {
    getQrLinkSvg: async (request, call) => {
      const { id } = await requireManaged(parts, request, call);
      return write(call, rpcs.getQrLinkSvg, request, async (tx) => {
        const url = await shownUrl(tx, { useCaseId: id, linkId: given(request.token_id) }, call, parts);
        return { file: fileOf("image/svg+xml", Buffer.from(await toText(url, { ...CODE, type: "svg" }))) };
      });
    },

    getQrLinkPng: async (request, call) => {
      const { id } = await requireManaged(parts, request, call);
      return write(call, rpcs.getQrLinkPng, request, async (tx) => {
        const url = await shownUrl(tx, { useCaseId: id, linkId: given(request.token_id) }, call, parts);
        return { file: fileOf("image/png", await toBuffer(url, { ...CODE, type: "png", scale: DOT_PX })) };
      });
    },
  };
}

/** Where a link leads: what follows the hash reaches no server, no log and no other site. */
export function linkUrl(publicUrl: string, token: string): string {
  return new URL(`/login/magic#t=${token}`, publicUrl).href;
}

/** A quiet zone as the standard asks for, and enough redundancy for a poster that has seen some rain. */
const CODE = { errorCorrectionLevel: "M", margin: 4 } as const;
const DOT_PX = 10;

interface LinkKey {
  useCaseId: string;
  linkId: string;
}

async function shownUrl(tx: Tx, { useCaseId, linkId }: LinkKey, { caller }: Call, parts: CodesParts): Promise<string> {
  const { token } = await readLink(tx, caller.orgId, { useCaseId }, linkId, parts);
  return linkUrl(parts.issuer, token);
}

function fileOf(mediaType: string, content: Buffer): File {
  return { media_type: mediaType, content, etag: createHash("sha256").update(content).digest("hex") };
}
