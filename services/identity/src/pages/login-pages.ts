import type { Content } from "./frame.js";
import { type Html, html } from "./html.js";
import { pageFiles } from "./page-files.js";
import type { Texts } from "./texts/shape.js";

export interface LoginView {
  readonly connections: readonly { readonly slug: string; readonly name: string }[];
  /** What was typed before. */
  readonly email?: string | undefined;
  readonly returnTo: string;
  readonly problem?: "unknown_email" | undefined;
}

export interface PostFormView {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Asks with which identity provider to sign in. */
export function loginPage(texts: Texts, view: LoginView): Omit<Content, "formAction"> {
  const { login } = texts;
  const links = view.connections.map(({ slug, name }) => {
    const query = new URLSearchParams({ connection: slug, return_to: view.returnTo }).toString();
    return html`<li><a class="button quiet" href="/api/core/saml/login?${query}">${login.continueWith(name)}</a></li>`;
  });
  const choice = html`<ul class="stack">${links}</ul><p class="or">${login.or}</p>`;
  const body = html`<h1>${login.title}</h1>
<p>${login.intro}</p>
${links.length > 0 ? choice : undefined}
${emailForm(texts, view)}`;
  return { title: login.title, body };
}

function emailForm({ login }: Texts, { email, returnTo, problem }: LoginView): Html {
  const isUnknown = problem === "unknown_email";
  const alert = html`<p class="alert" id="problem" role="alert">${login.unknownEmail}</p>`;
  const marks = html` aria-invalid="true" aria-describedby="problem"`;
  return html`${isUnknown ? alert : undefined}<form method="get" action="/api/core/saml/login">
<label for="email">${login.email}</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="username" autocapitalize="none" \
spellcheck="false" maxlength="320" required${isUnknown ? marks : undefined}>
<input type="hidden" name="return_to" value="${returnTo}">
<button>${login.next}</button>
</form>`;
}

/** A form for another site, on its way at once where scripts run. */
export function postFormPage({ leaving }: Texts, { action, fields }: PostFormView): Omit<Content, "formAction"> {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`<h1>${leaving.title}</h1>
<p>${leaving.intro}</p>
<form method="post" action="${action}">
${inputs}<button>${leaving.next}</button>
</form>`;
  return { title: leaving.title, body, script: pageFiles.submitScript.path };
}

/** A way out that is no redirect. */
export function leavingPage({ leaving }: Texts, url: string): Content {
  const body = html`<h1>${leaving.title}</h1>
<p>${leaving.intro}</p>
<a class="button" href="${url}">${leaving.next}</a>`;
  return { title: leaving.title, body, head: html`<meta http-equiv="refresh" content="0; url=${url}">` };
}

export function signedOutPage({ signedOut, toHome }: Texts): Content {
  const body = html`<h1>${signedOut.title}</h1>
<p role="status">${signedOut.intro}</p>
<div class="stack">
<a class="button" href="/api/core/saml/login">${signedOut.again}</a>
<a class="button quiet" href="/">${toHome}</a>
</div>`;
  return { title: signedOut.title, body };
}
