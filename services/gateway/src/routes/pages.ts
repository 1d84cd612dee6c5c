import type { Page, PageField } from "../page.js";

const IDP = "Goes on to the identity provider.";

const logoutFields: readonly PageField[] = [
  { name: "SAMLRequest", description: "A request to sign out." },
  { name: "SAMLResponse", description: "The answer to ours." },
  { name: "RelayState", description: "What the message hands on." },
];

/** The pages that identity serves to browsers: signing in and out by SAML, magic links, and a place to land. */
export const pages: readonly Page[] = [
  {
    method: "get",
    path: "/",
    rate: "read",
    bodyBytesMax: 4_096,
    // Programs that look here are told what they are told everywhere: that they need a token.
    takes: (request) => request.accepts("application/json", "text/html") === "text/html",
  },
  {
    method: "get",
    path: "/api/core/saml/login",
    rate: "login",
    bodyBytesMax: 4_096,
    acts: true,
    documented: {
      operationId: "startSamlLogin",
      description:
        "Starts signing in with an identity provider. Without a connection and an e-mail address it asks for one of them.",
      fields: [
        { name: "connection", description: "Slug of the SAML connection." },
        { name: "email", description: "E-mail address whose domain names the connection." },
        { name: "return_to", description: "Path of this platform to come back to; `/` if left out or not allowed." },
      ],
      answers: { 200: "Asks for what is missing, or holds a form for the identity provider.", 303: IDP },
    },
  },
  {
    method: "post",
    path: "/api/core/saml/acs",
    rate: "acs",
    // A response of 256 KiB and what the form adds to it.
    bodyBytesMax: 393_216,
    documented: {
      operationId: "consumeSamlResponse",
      description: "Takes the response of an identity provider. Browsers bring it.",
      fields: [
        { name: "SAMLResponse", description: "The response, in base64.", required: true },
        { name: "RelayState", description: "What the request handed on." },
      ],
      answers: { 303: "The login goes on at `/api/core/saml/complete`." },
    },
  },
  {
    method: "get",
    path: "/api/core/saml/complete",
    rate: "acs",
    bodyBytesMax: 4_096,
    acts: true,
    documented: {
      operationId: "completeSamlLogin",
      description: "Opens the session in the browser that began to sign in. Good once, for a minute.",
      fields: [{ name: "code", description: "What the response of the identity provider became.", required: true }],
      answers: { 303: "Signed in; goes on to the path named at the beginning." },
    },
  },
  {
    method: "get",
    path: "/api/core/saml/slo",
    rate: "acs",
    bodyBytesMax: 4_096,
    acts: true,
    documented: {
      operationId: "receiveSamlLogout",
      description: "Takes a logout message of an identity provider out of the address. It has to be signed.",
      fields: [
        ...logoutFields,
        { name: "SigAlg", description: "How it is signed.", required: true },
        { name: "Signature", description: "The signature over the other parameters, in base64.", required: true },
      ],
      answers: { 200: "Signed out.", 303: IDP },
    },
  },
  {
    method: "post",
    path: "/api/core/saml/slo",
    rate: "acs",
    bodyBytesMax: 393_216,
    documented: {
      operationId: "signOut",
      description:
        "Signs out. Without a message the session of the browser ends, here first, then at the identity provider; with one the sessions that the provider names.",
      fields: logoutFields,
      answers: { 200: "Signed out.", 303: IDP },
    },
  },
  {
    method: "get",
    path: "/login/magic",
    rate: "read",
    bodyBytesMax: 4_096,
    documented: {
      operationId: "openMagicLink",
      description:
        "The page that magic links lead to. The token stands behind the `#` and is not sent with this request.",
      fields: [],
      answers: { 200: "Asks for the token where the address holds none." },
    },
  },
  {
    method: "post",
    path: "/login/magic",
    rate: "consume",
    bodyBytesMax: 4_096,
    documented: {
      operationId: "consumeMagicLink",
      description:
        "Shows who one becomes by a magic link, or signs in with it. Only pages of this platform may send it.",
      fields: [
        { name: "token", description: "The token of the link.", required: true },
        { name: "step", description: "`look` says who one becomes, `consume` signs in.", required: true },
      ],
      answers: { 200: "Says who one becomes.", 303: "Signed in; goes on to `/`." },
    },
  },
  {
    method: "get",
    path: "/login/{file}",
    rate: "read",
    bodyBytesMax: 4_096,
    takes: ({ path }) => PAGE_FILE.test(path),
  },
];

/** What the pages are made of has its hash in its name. */
const PAGE_FILE = /^\/login\/[a-z]+\.[0-9a-f]{16}\.(?:css|js)$/;
