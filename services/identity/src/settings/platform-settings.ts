import type { Call } from "@assistant/kit/wire/call.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { PlatformSettings } from "@assistant/proto/assistant/identity/v1/platform_settings.js";
import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import type { NounParts } from "../parts.js";
import {
  findPlatformSettings,
  lockPlatformSettings,
  type PlatformSettingsRow,
  updatePlatformSettings,
} from "../store/platform-settings.js";
import { requirePlatformAdmin } from "./models.js";

type Rpcs = Pick<typeof rpcs, "getPlatformSettings" | "updatePlatformSettings">;

export function platformSettings({ db, write }: NounParts): Handlers<Rpcs> {
  return {
    getPlatformSettings: async (_request, call) => answer(await findPlatformSettings(db), call),

    updatePlatformSettings: async (request, call) => {
      requirePlatformAdmin(call.caller);
      const { support_email: supportEmail, support_url: supportUrl } = request;
      const fresh = { name: given(request.name), supportEmail, supportUrl };
      return write(call, rpcs.updatePlatformSettings, request, async (tx) => {
        const row = await lockPlatformSettings(tx);
        requireMatch(call, row.version);
        const isSame =
          row.name === fresh.name &&
          row.support_email === (supportEmail ?? null) &&
          row.support_url === (supportUrl ?? null);
        return answer(isSame ? row : await updatePlatformSettings(tx, fresh), call);
      });
    },
  };
}

function present({ name, support_email, support_url }: PlatformSettingsRow): PlatformSettings {
  return { name, support_email: support_email ?? undefined, support_url: support_url ?? undefined };
}

function answer(row: PlatformSettingsRow, call: Call): { platform_settings: PlatformSettings } {
  call.reply.version = row.version;
  return { platform_settings: present(row) };
}
