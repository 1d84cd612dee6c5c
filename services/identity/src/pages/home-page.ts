import type { Content } from "./frame.js";
import { html } from "./html.js";
import { pageFiles } from "./page-files.js";
import type { Texts } from "./texts/shape.js";

/** Where browsers land. Its script shows what is true; without it both ways stay open. */
export function homePage({ home }: Texts): Omit<Content, "formAction"> {
  const body = html`<h1>${home.title}</h1>
<div role="status">
<p data-states="looking" hidden>${home.looking}</p>
<p data-states="in" hidden>${home.isSignedIn}</p>
<p class="lead" data-states="named" hidden>${home.isSignedInAs}</p>
<p class="who" data-states="named" data-name hidden></p>
<p data-states="out" hidden>${home.isSignedOut}</p>
<p class="note" data-states="unknown" hidden>${home.isUnknown}</p>
</div>
<noscript><p class="note">${home.needsScript}</p></noscript>
<div class="stack">
<a class="button" href="/api/core/saml/login" data-states="out unknown">${home.signIn}</a>
<form method="post" action="/api/core/saml/slo" data-states="in named"><button class="quiet">${home.signOut}</button></form>
<a class="button quiet" href="/docs">${home.reference}</a>
</div>`;
  return { title: home.title, body, script: pageFiles.homeScript.path };
}
