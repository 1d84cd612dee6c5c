import type { FailureReason } from "./failure.js";
import type { Content } from "./frame.js";
import { html } from "./html.js";
import type { Texts } from "./texts/shape.js";

export function failurePage(texts: Texts, reason: FailureReason, requestId: string): Content {
  const { title, text } = texts.failures[reason];
  const body = html`<div role="alert">
<h1>${title}</h1>
<p>${text}</p>
</div>
<a class="button" href="/">${texts.toHome}</a>
<p class="small">${texts.requestId}: <code>${requestId}</code></p>`;
  return { title, body };
}
