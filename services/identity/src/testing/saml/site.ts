import { inflateRawSync } from "node:zlib";
import { quiet } from "@assistant/kit/testing.js";
import type {
  CreateSamlConnectionRequest,
  SamlConnection,
} from "@assistant/proto/assistant/identity/v1/saml_connections.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { startListener } from "../../http/listener.js";
import { routers } from "../../http/routers.js";
import { createPages } from "../../pages/pages.js";
import { type Person, present } from "../people.js";
import type { Platform } from "../platform.js";
import { base64, PERSISTENT, type Provider, responseText, type Said, type Signing, signed } from "./provider.js";

/** What browsers see of a platform. */
export interface Site {
  port: number;
  /** Another browser, without any cookie. */
  browser(): Browser;
  close(): Promise<void>;
}

/** A browser without scripts: keeps cookies, and shows every redirect instead of following it. */
export interface Browser {
  /** Where addresses without a host lead. */
  origin: string;
  cookies: Map<string, string>;
  get(address: string, headers?: Readonly<Record<string, string>>): Promise<Shown>;
  post(address: string, fields: Fields | string, headers?: Readonly<Record<string, string>>): Promise<Shown>;
}

export interface Shown {
  status: number;
  location: string;
  text: string;
  headers: Headers;
}

type Fields = Readonly<Record<string, string>>;

/** Serves the pages of a platform, with its SAML keys made. */
export async function openSite(platform: Platform): Promise<Site> {
  await platform.saml.prepare();
  const pages = createPages({ publicUrl: platform.issuer });
  const listener = await startListener({
    listen: "127.0.0.1:0",
    routers: routers({ ...platform.parts, pages }),
    pages,
    trustedProxies: ["loopback"],
    log: quiet,
  });
  const here = `http://127.0.0.1:${listener.port}`;
  return {
    port: listener.port,
    browser: () => newBrowser((address) => new URL(address.replace(platform.issuer, here), here)),
    close: () => listener.stop(1_000),
  };
}

/** A connection of the admin's org with a provider. */
export async function connect(
  admin: Person,
  provider: Provider,
  given: Partial<CreateSamlConnectionRequest> = {},
): Promise<SamlConnection> {
  const request = connectionRequest(provider, given);
  return present((await admin.ask(rpcs.createSamlConnection, request)).saml_connection);
}

/** Asks for a connection with a provider, under a slug of its own. */
export function connectionRequest(
  { entityId, key }: Provider,
  given: Partial<CreateSamlConnectionRequest> = {},
): CreateSamlConnectionRequest {
  counter += 1;
  const described =
    given.metadata_xml !== undefined || given.metadata_url !== undefined
      ? { certificates: [] }
      : { entity_id: entityId, sso_url: "https://idp.example/sso", certificates: [key.certificate] };
  return {
    slug: `test-${counter}`,
    ...described,
    group_mapping: [],
    nameid_format: "SAML_NAME_ID_FORMAT_ANY",
    ...given,
  };
}

/** What an answer says beside the usual. */
export type Asserted = Partial<Said> & { email?: string; format?: string; sessionEndsAt?: Date };

/** What a provider says of itself. */
export function providerMetadata({ entityId, key }: Provider, ssoUrl = "https://idp.example/sso"): string {
  const certificate = key.certificate.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, "");
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">\
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing">\
<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}\
</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService \
Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl}"/></md:IDPSSODescriptor>\
</md:EntityDescriptor>`;
}

/** A sign-in that waits for the provider's answer. */
export interface Begun {
  requestId: string;
  relayState: string;
}

export async function begin(browser: Browser, slug: string, returnTo?: string): Promise<Begun> {
  const query = new URLSearchParams({ connection: slug, ...(returnTo === undefined ? {} : { return_to: returnTo }) });
  const { location } = await browser.get(`/api/core/saml/login?${query}`);
  const sent = new URL(location).searchParams;
  return { requestId: idOf(openMessage(sent.get("SAMLRequest") ?? "")), relayState: sent.get("RelayState") ?? "" };
}

/** The text of a message of the Redirect binding. */
export function openMessage(parameter: string): string {
  return inflateRawSync(Buffer.from(parameter, "base64")).toString();
}

export function idOf(message: string): string {
  return / ID="([^"]+)"/.exec(message)?.[1] ?? "";
}

/** What the provider sends back, to be posted. */
export function answerTo(begun: Begun, provider: Provider, said: Asserted = {}, signing: Signing = "both"): Fields {
  counter += 1;
  // Everybody is somebody else, unless named.
  const { nameId = `user${counter}`, sessionEndsAt } = said;
  const sessionEnd = sessionEndsAt === undefined ? "" : ` SessionNotOnOrAfter="${sessionEndsAt.toISOString()}"`;
  const plain = responseText(provider, { inResponseTo: begun.requestId, nowMs: Date.now(), ...said, nameId });
  const text = plain
    .replace('"_assertion"', `"_assertion${counter}"`)
    .replace('"_session"', `"_session${counter}"${sessionEnd}`)
    .replace("ada@example.com", said.email ?? `${nameId}@example.com`)
    .replace(PERSISTENT, said.format ?? PERSISTENT);
  return { SAMLResponse: base64(signed(text, provider.key, signing)), RelayState: begun.relayState };
}

/** A browser for another site. */
export function browserAt(origin: string): Browser {
  return newBrowser((address) => new URL(address, origin));
}

/** Follows redirects for as long as they stay on the browser's own site. */
export async function follow(browser: Browser, shown: Shown): Promise<Shown> {
  let last = shown;
  for (let steps = 0; last.location.startsWith(browser.origin) && steps < 10; steps += 1) {
    last = await browser.get(last.location);
  }
  return last;
}

/** Where a page or a redirect leads on its own. */
export function leadsTo({ location, text }: Shown): string {
  return location || plain(/http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)?.[1] ?? "");
}

/** The form of a page that goes to another site. */
export function formOf(page: string): { action: string; fields: Fields } {
  const inputs = [...page.matchAll(/<input[^>]*?name="([^"]+)"\s+value="([^"]*)"/g)];
  const fields = Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, plain(value)]));
  return { action: plain(/<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? ""), fields };
}

/** Signs in from end to end; answers what the last step shows, or the step at which it was refused. */
export async function signInBySaml(
  browser: Browser,
  provider: Provider,
  slug: string,
  said: Asserted = {},
): Promise<Shown> {
  const begun = await begin(browser, slug);
  const taken = await browser.post("/api/core/saml/acs", answerTo(begun, provider, said));
  return taken.status === 303 ? browser.get(taken.location) : taken;
}

let counter = 0;

function plain(escaped: string): string {
  return escaped
    .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, decimal) =>
      String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

function newBrowser(resolve: (address: string) => URL): Browser {
  const cookies = new Map<string, string>();
  const send = async (address: string, init: RequestInit & { headers: Record<string, string> }): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers: Record<string, string> = Object.assign(cookie === "" ? {} : { cookie }, init.headers);
    const response = await fetch(resolve(address), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const location = response.headers.get("location") ?? "";
    return { status: response.status, location, text: await response.text(), headers: response.headers };
  };
  return {
    origin: resolve("/").origin,
    cookies,
    get: (address, headers = {}) => send(address, { headers }),
    post: (address, fields, headers = {}) =>
      send(address, {
        method: "POST",
        body: typeof fields === "string" ? fields : new URLSearchParams(fields),
        headers,
      }),
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const isGone = attributes.some((attribute) => /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute));
  if (isGone) cookies.delete(pair.slice(0, at));
  else cookies.set(pair.slice(0, at), pair.slice(at + 1));
}
