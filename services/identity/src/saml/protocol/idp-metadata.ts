import { certificatePem } from "./certificate.js";
import { allOf, attributeOf, childrenOf, isNamed, manyOf, optionalOf, readXml, textOf } from "./dom.js";
import { DSIG, METADATA, POST_BINDING, PROTOCOL, REDIRECT_BINDING } from "./names.js";
import type { Binding, Endpoint, IdpMetadata, Verdict } from "./protocol.js";
import { refuse } from "./refusal.js";
import { withoutComments } from "./scan.js";
import { instantOf } from "./times.js";
import { verdictOf } from "./verdict.js";

/** What an identity provider says of itself, as far as we use it. Its own signature says nothing: we know nobody's key. */
export function readIdpMetadata(xml: string, nowMs: number): Promise<Verdict<IdpMetadata>> {
  return verdictOf(() => {
    if (Buffer.byteLength(xml) > METADATA_MAX_BYTES) {
      refuse("too_large");
    }
    const root = readXml(withoutComments(xml.replace(/^\uFEFF/, "")));
    const provider = providerOf(root);
    const validUntil = soonest(root, provider, nowMs);
    const sso = endpointOf(provider, "SingleSignOnService") ?? refuse("endpoint");
    return {
      entityId: entityIdOf(root),
      sso: { url: sso.url, binding: sso.binding },
      slo: endpointOf(provider, "SingleLogoutService"),
      certificates: certificatesOf(provider),
      nameIdFormats: manyOf(provider, METADATA, "NameIDFormat").map((format) => textOf(format, "descriptor")),
      validUntil,
    };
  });
}

const METADATA_MAX_BYTES = 102_400;
const ENTITY_ID_MAX_CHARS = 1_024;
const URL_MAX_CHARS = 2_048;
const CERTIFICATES_MAX = 5;
const BINDINGS: readonly [Binding, string][] = [
  ["redirect", REDIRECT_BINDING],
  ["post", POST_BINDING],
];

/** The one provider in the document: of several, nobody could say which is meant. */
function providerOf(root: Element): Element {
  if (!isNamed(root, METADATA, "EntityDescriptor")) {
    refuse("root");
  }
  const providers = allOf(root).filter(({ localName }) => localName === "IDPSSODescriptor");
  const provider = optionalOf(root, METADATA, "IDPSSODescriptor", "descriptor");
  const protocols = (provider && attributeOf(provider, "protocolSupportEnumeration")) ?? "";
  if (provider === undefined || providers.length > 1 || !protocols.split(/\s+/).includes(PROTOCOL)) {
    return refuse("descriptor");
  }
  return provider;
}

function entityIdOf(root: Element): string {
  const entityId = attributeOf(root, "entityID") ?? "";
  const isGood = entityId.length <= ENTITY_ID_MAX_CHARS && /^\S+$/.test(entityId);
  return isGood ? entityId : refuse("descriptor");
}

function soonest(root: Element, provider: Element, nowMs: number): Date | undefined {
  const ends = [root, provider].flatMap((element) => instantOf(element, "validUntil", "metadata_expired") ?? []);
  if (ends.length === 0) {
    return undefined;
  }
  const endMs = Math.min(...ends);
  return endMs <= nowMs ? refuse("metadata_expired") : new Date(endMs);
}

/** The endpoint of the first binding that we speak. */
function endpointOf(provider: Element, name: string): (Endpoint & { responseUrl: string }) | undefined {
  const endpoints = manyOf(provider, METADATA, name);
  for (const [binding, uri] of BINDINGS) {
    const endpoint = endpoints.find((candidate) => attributeOf(candidate, "Binding") === uri);
    if (endpoint !== undefined) {
      const url = checkedUrl(attributeOf(endpoint, "Location"));
      const responseLocation = attributeOf(endpoint, "ResponseLocation");
      return { url, binding, responseUrl: responseLocation === undefined ? url : checkedUrl(responseLocation) };
    }
  }
  return undefined;
}

/** Browsers are sent there with our signature: https, or a provider on the same machine. */
function checkedUrl(text: string | undefined): string {
  const url = text === undefined || !URL.canParse(text) ? refuse("endpoint") : new URL(text);
  const isLoopback = url.hostname === "localhost" || url.hostname === "127.0.0.1" || url.hostname === "[::1]";
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
  const isBare = url.username === "" && url.password === "" && url.hash === "";
  return isSafe && isBare && url.href.length <= URL_MAX_CHARS ? url.href : refuse("endpoint");
}

function certificatesOf(provider: Element): string[] {
  const keys = manyOf(provider, METADATA, "KeyDescriptor").filter(
    (key) => (attributeOf(key, "use") ?? "signing") === "signing",
  );
  const texts = keys.flatMap(childrenOf).flatMap((keyInfo) =>
    manyOf(keyInfo, DSIG, "X509Data")
      .flatMap((held) => manyOf(held, DSIG, "X509Certificate"))
      .map((element) => textOf(element, "certificate")),
  );
  const certificates = [...new Set(texts.map(certificatePem))];
  if (certificates.length === 0 || certificates.length > CERTIFICATES_MAX) {
    refuse("certificate");
  }
  return certificates;
}
