import type { Content } from "./frame.js";
import { type Html, html } from "./html.js";
import { pageFiles } from "./page-files.js";
import type { Texts } from "./texts/shape.js";

export interface MagicConfirmView {
  readonly token: string;
  readonly kind: "service_account" | "use_case_qr";
  /** Of the service account or the use case, in the reader's language. */
  readonly name: string;
  /** Somebody is signed in already, and will not be any more. */
  readonly isSignedIn?: boolean | undefined;
  /** Who that is, where it is known. */
  readonly signedInAs?: string | undefined;
  /** Undefined: without limit. */
  readonly usesLeft?: number | undefined;
}

/** Where magic links lead. */
export function magicLinkPage({ magicLink }: Texts): Content {
  const body = html`<h1>${magicLink.title}</h1>
<p role="status" hidden>${magicLink.reading}</p>
<form method="post" action="/login/magic">
<p>${magicLink.intro}</p>
<label for="token">${magicLink.token}</label>
<input type="text" id="token" name="token" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<input type="hidden" name="step" value="look">
<button>${magicLink.next}</button>
</form>`;
  return { title: magicLink.title, body, script: pageFiles.magicScript.path };
}

/** Says who one becomes. */
export function magicConfirmPage({ magicConfirm }: Texts, view: MagicConfirmView): Content {
  const as = view.kind === "service_account" ? magicConfirm.asServiceAccount : magicConfirm.asGuest;
  const body = html`<h1>${magicConfirm.title}</h1>
<p class="lead">${as}</p>
<p class="who">${view.name}</p>
${signedInNote(magicConfirm, view)}
<form class="stack" method="post" action="/login/magic">
<input type="hidden" name="token" value="${view.token}">
<input type="hidden" name="step" value="consume">
<button>${magicConfirm.signIn}</button>
<a class="button quiet" href="/">${magicConfirm.cancel}</a>
</form>
${usesNote(magicConfirm, view)}`;
  return { title: magicConfirm.title, body };
}

function signedInNote(texts: Texts["magicConfirm"], { isSignedIn, signedInAs }: MagicConfirmView): Html | undefined {
  if (signedInAs !== undefined) return html`<p class="note">${texts.isSignedInAs(isolated(signedInAs))}</p>`;
  return isSignedIn ? html`<p class="note">${texts.isSignedIn}</p>` : undefined;
}

function usesNote({ lastUse, usesLeft }: Texts["magicConfirm"], view: MagicConfirmView): Html | undefined {
  if (view.usesLeft === undefined) return undefined;
  return html`<p class="small">${view.usesLeft === 1 ? lastUse : usesLeft(String(view.usesLeft))}</p>`;
}

/** A name that is written from right to left, or says so of what follows, leaves the sentence around it as it is. */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
