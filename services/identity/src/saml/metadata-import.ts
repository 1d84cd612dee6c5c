import { type Violation, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import type { SamlProvider } from "../store/saml-connections.js";
import { readCertificates } from "./certificates.js";
import type { FetchMetadata } from "./metadata-fetch.js";
import type { IdpMetadata, SamlWorkers } from "./protocol/protocol.js";
import { providerUrlProblem } from "./provider-url.js";

/** Where metadata is; at most one of the two. */
export interface MetadataSource {
  xml: string | undefined;
  url: string | undefined;
}

export interface ReadMetadata {
  provider: SamlProvider;
  readAt: Date;
  /** When it is to be read again; null: there is nowhere to read it. */
  dueAt: Date | null;
}

/** Reads the metadata of identity providers. */
export interface MetadataImport {
  /** Undefined: no source was given. Throws what is wrong with it as a mistake of the request. */
  read(source: MetadataSource): Promise<ReadMetadata | undefined>;
  /** As `read`; says in words what is wrong. */
  fetch(url: string): Promise<{ ok: true; value: ReadMetadata } | { ok: false; failure: string }>;
}

export interface MetadataImportParts {
  workers: SamlWorkers;
  fetchMetadata: FetchMetadata;
  clock: () => number;
}

export function metadataImport({ workers, fetchMetadata, clock }: MetadataImportParts): MetadataImport {
  const parse = async (xml: string, isFetched: boolean) => {
    const nowMs = clock();
    const verdict = await workers.readIdpMetadata(xml, nowMs);
    const problem = verdict.ok ? problemOf(verdict.value, nowMs) : "This is no usable metadata of an identity provider";
    if (!verdict.ok || problem !== undefined) {
      return { ok: false, failure: `${problem}${verdict.ok ? "" : ` (${verdict.code})`}` } as const;
    }
    const dueAt = isFetched ? nextReading(verdict.value.validUntil, nowMs) : null;
    const value = { provider: providerOf(verdict.value, nowMs), readAt: new Date(nowMs), dueAt };
    return { ok: true, value } as const;
  };

  const fetch = async (url: string) => {
    const fetched = await fetchMetadata(url);
    return fetched.ok ? parse(fetched.xml, true) : fetched;
  };

  return {
    fetch,
    async read({ xml, url }) {
      if (xml === undefined && url === undefined) {
        return undefined;
      }
      const outcome = xml === undefined ? await fetch(url ?? "") : await parse(xml, false);
      if (!outcome.ok) {
        throw invalid(failed(xml === undefined ? "metadata_url" : "metadata_xml", outcome.failure));
      }
      return outcome.value;
    },
  };
}

const SOONEST_MS = 3_600_000;
const LATEST_MS = 86_400_000;

/** When metadata is read again: in the middle of its life, though not all the time, and once a day at least. */
export function nextReading(validUntil: Date | undefined, nowMs: number): Date {
  const halfMs = validUntil === undefined ? LATEST_MS : (validUntil.getTime() - nowMs) / 2;
  return new Date(nowMs + Math.min(Math.max(halfMs, SOONEST_MS), LATEST_MS));
}

function failed(field: string, text: string): Violation {
  return valueError([field], text);
}

function problemOf({ sso, slo, certificates }: IdpMetadata, nowMs: number): string | undefined {
  const addresses = [sso.url, ...(slo === undefined ? [] : [slo.url, slo.responseUrl])];
  return (
    addresses.map(providerUrlProblem).find((problem) => problem !== undefined) ??
    certificateProblem(certificates, nowMs)
  );
}

/** Providers publish former certificates for a while: one that is good will do. */
function certificateProblem(certificates: readonly string[], nowMs: number): string | undefined {
  return goodCertificates(certificates, nowMs).length === 0 ? "The certificate has expired" : undefined;
}

function goodCertificates(certificates: readonly string[], nowMs: number): string[] {
  return certificates.filter((certificate) => readCertificates([certificate], nowMs).violation === undefined);
}

function providerOf({ entityId, sso, slo, certificates }: IdpMetadata, nowMs: number): SamlProvider {
  return {
    entity_id: entityId,
    sso_url: sso.url,
    sso_binding: sso.binding,
    slo_url: slo?.url ?? null,
    slo_binding: slo?.binding ?? "redirect",
    slo_response_url: slo?.responseUrl ?? null,
    certificates: goodCertificates(certificates, nowMs),
  };
}
