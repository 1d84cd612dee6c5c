import type { ConnectorKind as Kind } from "@assistant/proto/assistant/common/v1/connectors.js";
import type { ConnectorKind } from "./store/use-cases.js";

export function presentKinds(words: readonly ConnectorKind[]): Kind[] {
  return words.map((word) => KINDS[word]);
}

/** The rules let no other kinds in. */
export function readKinds(kinds: readonly Kind[]): ConnectorKind[] {
  return kinds.flatMap((kind) => WORDS.find((word) => KINDS[word] === kind) ?? []);
}

const KINDS: Readonly<Record<ConnectorKind, Kind>> = {
  smtp: "CONNECTOR_KIND_SMTP",
  cloud_storage: "CONNECTOR_KIND_CLOUD_STORAGE",
  manually_synced: "CONNECTOR_KIND_MANUALLY_SYNCED",
  webdav_nextcloud: "CONNECTOR_KIND_WEBDAV_NEXTCLOUD",
  amazon_s3: "CONNECTOR_KIND_AMAZON_S3",
  microsoft_onedrive: "CONNECTOR_KIND_MICROSOFT_ONEDRIVE",
  microsoft_sharepoint: "CONNECTOR_KIND_MICROSOFT_SHAREPOINT",
  google_drive: "CONNECTOR_KIND_GOOGLE_DRIVE",
  sftp: "CONNECTOR_KIND_SFTP",
  imap_mail: "CONNECTOR_KIND_IMAP_MAIL",
  confluence: "CONNECTOR_KIND_CONFLUENCE",
  git_repository: "CONNECTOR_KIND_GIT_REPOSITORY",
  mediawiki: "CONNECTOR_KIND_MEDIAWIKI",
};

// The table has exactly the keys of its type.
const WORDS = Object.keys(KINDS) as ConnectorKind[];
