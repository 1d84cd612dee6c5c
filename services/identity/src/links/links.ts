import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { magicLinks } from "./magic-links.js";
import { type CodesParts, qrCodes } from "./qr-codes.js";
import { qrLinks } from "./qr-links.js";

/** All operations on links. */
export function links(parts: CodesParts): Handlers<typeof LinksServiceService> {
  return { ...magicLinks(parts), ...qrLinks(parts), ...qrCodes(parts) };
}
