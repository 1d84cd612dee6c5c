import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import express, { type Request, type RequestHandler } from "express";
import { type KeyPair, newKeyPair } from "../../saml/protocol/key-pair.js";

/** An identity provider that others wrote, over HTTP. */
export interface SamlpProvider {
  origin: string;
  metadataUrl: string;
  /** Encrypts assertions for this certificate from now on. */
  encryptFor(certificate: string): void;
  close(): Promise<void>;
}

export interface SamlpOptions {
  /** What the service provider signs with. */
  ourCertificate: string;
  acsUrl: string;
  sloUrl: string;
  user: { id: string; email: string; name: string };
  sessionIndex: string;
}

/** The parts of the package that we use, which has no types. */
interface Samlp {
  auth(options: object): RequestHandler;
  logout(options: object): RequestHandler;
  metadata(options: object): RequestHandler;
}

// The package is CommonJS without types; `Samlp` is what its documentation says of these three.
const require = createRequire(import.meta.url);
const samlp = require("samlp") as Samlp;
const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

export async function startSamlpProvider(options: SamlpOptions): Promise<SamlpProvider> {
  const key = await newKeyPair("samlp", Date.now());
  const app = express();
  app.set("query parser", "simple");
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/metadata`;
  let certificate: string | undefined;
  app.get(
    "/metadata",
    samlp.metadata({
      issuer,
      cert: key.certificate,
      redirectEndpointPath: "/sso",
      postEndpointPath: "/sso",
      logoutEndpointPaths: { redirect: "/slo" },
    }),
  );
  const encryption = () =>
    certificate === undefined ? {} : { encryptionCert: certificate, encryptionPublicKey: publicKeyOf(certificate) };
  app.get("/sso", (request, response, next) =>
    samlp.auth({ ...signOnOptions(options, issuer, key), ...encryption() })(request, response, next),
  );
  app.use("/slo", express.urlencoded({ extended: false }), signOut(options, issuer, key));
  return {
    origin,
    metadataUrl: issuer,
    encryptFor: (given) => {
      certificate = given;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function signOnOptions({ ourCertificate, acsUrl, user, sessionIndex }: SamlpOptions, issuer: string, key: KeyPair) {
  return {
    issuer,
    cert: key.certificate,
    key: key.privateKey,
    signingCert: ourCertificate,
    recipient: acsUrl,
    destination: acsUrl,
    lifetimeInSeconds: 300,
    sessionIndex,
    signResponse: true,
    nameIdentifierFormat: PERSISTENT,
    getUserFromRequest: () => user,
    getPostURL: (_audience: string, _dom: unknown, _request: Request, done: (e: null, url: string) => void) =>
      done(null, acsUrl),
    profileMapper: () => ({
      getClaims: () => ({ email: user.email, displayName: user.name, groups: ["staff", "writers"] }),
      getNameIdentifier: () => ({ nameIdentifier: user.id }),
    }),
  };
}

/** Both ways: what the service provider asks, and without a message what the provider begins itself. */
function signOut({ ourCertificate, sloUrl, user, sessionIndex }: SamlpOptions, issuer: string, key: KeyPair) {
  const states = new Map<string, unknown>();
  let transactions = 0;
  const store = {
    save: (_request: Request, state: unknown, done: (error: null, id: string) => void) => {
      transactions += 1;
      states.set(`t${transactions}`, state);
      done(null, `t${transactions}`);
    },
    load: (_request: Request, id: string, _options: unknown, done: (error: null, state: unknown) => void) =>
      done(null, states.get(id)),
  };
  const participant = {
    serviceProviderId: new URL("/saml/metadata", sloUrl).href,
    nameId: user.id,
    nameIdFormat: PERSISTENT,
    sessionIndex,
    serviceProviderLogoutURL: sloUrl,
    cert: ourCertificate,
  };
  const logout: RequestHandler = (request, response, next) => {
    // Whoever asks again has signed in again.
    const participants = require("samlp/lib/sessionParticipants");
    const isAnswer = request.query.SAMLResponse !== undefined;
    samlp.logout({
      issuer,
      cert: key.certificate,
      key: key.privateKey,
      deflate: true,
      protocolBinding: REDIRECT,
      signatureAlgorithm: "rsa-sha256",
      digestAlgorithm: "sha256",
      sessionParticipants: new participants([participant]),
      store,
      ...(isAnswer ? { signingCert: ourCertificate } : {}),
    })(Object.assign(request, { body: request.body ?? {} }), response, next);
  };
  return logout;
}

function publicKeyOf(certificate: string): string {
  return new X509Certificate(certificate).publicKey.export({ type: "spki", format: "pem" }).toString();
}
