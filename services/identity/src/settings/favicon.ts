import { createHash } from "node:crypto";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { valueError, violation } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { Fault, invalid, stale } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Favicon, FaviconType, UpdateFaviconRequest } from "@assistant/proto/assistant/identity/v1/favicons.js";
import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import type { NounParts } from "../parts.js";
import { type FaviconRow, findFavicon, removeFavicon, replaceFavicon } from "../store/favicons.js";
import { lockPlatformSettings } from "../store/platform-settings.js";
import { BUILT_IN_ICON } from "./built-in-icon.js";
import { type Image, type ImageType, readImage } from "./image.js";
import { requirePlatformAdmin } from "./models.js";

export interface FaviconParts extends NounParts {
  /** The address of the platform. */
  issuer: string;
}

type Rpcs = Pick<typeof rpcs, "getFavicon" | "updateFavicon" | "deleteFavicon">;

export function favicon({ db, write, issuer }: FaviconParts): Handlers<Rpcs> {
  const present = (row: FaviconRow): Favicon => ({
    content_type: typeOf(row.media_type),
    data: row.content.toString("base64"),
    sha256: row.sha256,
    etag: etagOf(row),
    url: `${issuer}/api/core/platform_settings/favicon`,
  });
  return {
    getFavicon: async () => {
      const row = await currentIcon(db);
      const { media_type, content } = row;
      return { file: { media_type, content, etag: etagOf(row) }, favicon: present(row) };
    },

    updateFavicon: async (request, call) => {
      requirePlatformAdmin(call.caller);
      const fresh = rowOf(readUpload(request));
      return write(call, rpcs.updateFavicon, request, async (tx) => {
        await lockPlatformSettings(tx);
        requireTag(call, await currentIcon(tx));
        await replaceFavicon(tx, fresh);
        return { favicon: present(fresh) };
      });
    },

    deleteFavicon: async (request, call) => {
      requirePlatformAdmin(call.caller);
      return write(call, rpcs.deleteFavicon, request, async (tx) => {
        await lockPlatformSettings(tx);
        requireTag(call, await currentIcon(tx));
        await removeFavicon(tx);
        return { message: "The built-in icon is back" };
      });
    },
  };
}

const builtIn = rowOf({ mediaType: "image/svg+xml", content: Buffer.from(BUILT_IN_ICON) });

async function currentIcon(sql: Sql): Promise<FaviconRow> {
  return (await findFavicon(sql)) ?? builtIn;
}

function rowOf({ mediaType, content }: Image): FaviconRow {
  return { media_type: mediaType, content, sha256: createHash("sha256").update(content).digest("hex") };
}

function etagOf({ sha256 }: FaviconRow): string {
  return sha256.slice(0, ETAG_LENGTH);
}

const ETAG_LENGTH = 32;

/** The tag of the image, or that of its description in JSON, which the gateway makes of it. */
function requireTag({ ifMatch }: Call, row: FaviconRow): void {
  const tags = [etagOf(row), `${etagOf(row)}.json`];
  if (ifMatch !== undefined && ifMatch !== "*" && !tags.some((tag) => ifMatch.includes(tag))) {
    throw stale();
  }
}

const BYTES_MAX = 256 * 1_024;
const BASE64_LENGTH_MAX = Math.ceil(BYTES_MAX / 3) * 4;

function readUpload(request: UpdateFaviconRequest): Image {
  const data = given(request.data);
  if (data.length > BASE64_LENGTH_MAX) {
    throw tooLarge();
  }
  const bytes = Buffer.from(data, "base64");
  // What does not come back the same was no base64, or another spelling of it.
  if (bytes.toString("base64") !== data) {
    throw invalid(valueError(["data"], "Not base64"));
  }
  if (bytes.length > BYTES_MAX) {
    throw tooLarge();
  }
  const image = readImage(bytes);
  // A drawing may take more room as it is kept: what has a meaning of its own in it is written out.
  if (image.content.length > BYTES_MAX) {
    throw tooLarge();
  }
  const { content_type = TYPES[image.mediaType] } = request;
  if (content_type !== TYPES[image.mediaType]) {
    throw invalid(valueError(["content_type"], `The image is ${image.mediaType}`));
  }
  return image;
}

function tooLarge(): Fault {
  const context = { max_bytes: BYTES_MAX };
  const violations = [violation(["data"], "payload_too_large", "Payload Too Large", context)];
  return new Fault("large", "the icon is too large", { violations });
}

const TYPES: Readonly<Record<ImageType, FaviconType>> = {
  "image/png": "FAVICON_TYPE_PNG",
  "image/svg+xml": "FAVICON_TYPE_SVG",
  "image/x-icon": "FAVICON_TYPE_ICO",
};

function typeOf(mediaType: string): FaviconType {
  return new Map<string, FaviconType>(Object.entries(TYPES)).get(mediaType) ?? "FAVICON_TYPE_UNSPECIFIED";
}
