import { createHash } from "node:crypto";
import type { Write } from "@assistant/kit/database/write.js";
import { conflict, denied } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { SamlServiceService as rpcs, type SamlKey } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import type { SamlKeyRow } from "../store/saml-keys.js";
import { ourUrls } from "./flow.js";
import { spMetadata } from "./protocol/sp-metadata.js";
import { rotateSpKeys, type SpKeys, type SpKeysParts } from "./sp-keys.js";

export interface MetadataParts extends SpKeysParts {
  write: Write;
  spKeys: SpKeys;
  publicUrl: string;
}

type Rpcs = Pick<typeof rpcs, "getSamlMetadata" | "rotateSamlKeys">;

/** What identity providers are told about this platform. */
export function spDescription(parts: MetadataParts): Handlers<Rpcs> {
  const { spKeys, entityId, publicUrl, clock, write } = parts;
  return {
    getSamlMetadata: async () => {
      const signing = await spKeys.published();
      const [current] = signing;
      const about = { entityId, ...ourUrls(publicUrl), nowMs: clock() };
      const content = Buffer.from(spMetadata({ ...about, signing, encryption: [current] }));
      const etag = createHash("sha256").update(content).digest("base64url");
      return { metadata: { media_type: "application/samlmetadata+xml", content, etag } };
    },

    rotateSamlKeys: async (request, call) => {
      if (!call.caller.platformAdmin) {
        throw denied();
      }
      return write(call, rpcs.rotateSamlKeys, request, async (tx) => {
        const rows = await rotateSpKeys(tx, parts);
        if (rows === undefined) {
          throw conflict("state");
        }
        return { items: rows.map(present) };
      });
    },
  };
}

function present({ id, certificate, signs_from, decrypts_until, expires_at }: SamlKeyRow): SamlKey {
  return { id, certificate, signs_from, decrypts_until: decrypts_until ?? undefined, expires_at };
}
