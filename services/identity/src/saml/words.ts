import type { SamlCheckStatus } from "@assistant/proto/assistant/identity/v1/saml_connection_tests.js";
import type {
  SamlBinding,
  SamlNameIdFormat,
  SamlSyncMode,
} from "@assistant/proto/assistant/identity/v1/saml_settings.js";
import type {
  SamlBinding as BindingWord,
  SamlNameIdFormat as NameIdFormatWord,
  SamlSyncMode as SyncModeWord,
} from "../store/saml-connections.js";

export const BINDINGS = { redirect: "SAML_BINDING_REDIRECT", post: "SAML_BINDING_POST" } as const satisfies Readonly<
  Record<BindingWord, SamlBinding>
>;

export const NAME_ID_FORMATS = {
  persistent: "SAML_NAME_ID_FORMAT_PERSISTENT",
  email_address: "SAML_NAME_ID_FORMAT_EMAIL_ADDRESS",
  any: "SAML_NAME_ID_FORMAT_ANY",
} as const satisfies Readonly<Record<NameIdFormatWord, SamlNameIdFormat>>;

export const SYNC_MODES = {
  import: "SAML_SYNC_MODE_IMPORT",
  force: "SAML_SYNC_MODE_FORCE",
} as const satisfies Readonly<Record<SyncModeWord, SamlSyncMode>>;

export const CHECK_STATUSES = {
  ok: "SAML_CHECK_STATUS_OK",
  warning: "SAML_CHECK_STATUS_WARNING",
  failed: "SAML_CHECK_STATUS_FAILED",
} as const satisfies Readonly<Record<string, SamlCheckStatus>>;

/** What messages call the formats; null: any will do. */
export const NAME_ID_FORMAT_URIS: Readonly<Record<NameIdFormatWord, string | null>> = {
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  email_address: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  any: null,
};

/** The word of a value; undefined: none given. */
export function wordOf<Word extends string, Value>(
  values: Readonly<Record<Word, Value>>,
  value: NoInfer<Value> | string | undefined,
): Word | undefined {
  // The tables above have exactly the keys of their types.
  const words = Object.keys(values) as Word[];
  return words.find((word) => values[word] === value);
}
