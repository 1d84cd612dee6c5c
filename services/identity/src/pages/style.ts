/** How the pages look: one card, in the light or dark that the reader's system is set to. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #eef0f7;
  --glow: #dfe3fb;
  --card: #ffffff;
  --line: #d7dbe8;
  --field: #8089a8;
  --text: #171a2b;
  --soft: #525a75;
  --accent: #3f3bd0;
  --accent-strong: #322eb3;
  --on-accent: #ffffff;
  --quiet: #f3f4fb;
  --alert: #a11b2e;
  --alert-ground: #fdeef0;
  --note-ground: #fff6e0;
  --note: #6b4a00;
  --shadow: 0 1px 2px rgb(23 26 43 / 6%), 0 12px 40px rgb(23 26 43 / 10%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f111c;
    --glow: #1d2040;
    --card: #191c2b;
    --line: #2f3449;
    --field: #737c9e;
    --text: #eceefa;
    --soft: #a9b0cb;
    --accent: #a5a8ff;
    --accent-strong: #bfc1ff;
    --on-accent: #14152b;
    --quiet: #22263a;
    --alert: #ff9ba8;
    --alert-ground: #361a22;
    --note-ground: #332a14;
    --note: #f3cf85;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 16px 48px rgb(0 0 0 / 40%);
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100%;
  padding: 2rem 1.25rem;
  display: flex;
  flex-direction: column;
  align-items: center;
  justify-content: center;
  gap: 1.5rem;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  color: var(--text);
  background: radial-gradient(60rem 40rem at 50% -10rem, var(--glow), transparent) var(--ground);
}
header { display: flex; align-items: center; gap: 0.625rem; font-weight: 650; letter-spacing: -0.01em; }
header svg { flex: none; width: 1.75rem; height: 1.75rem; color: var(--accent); }
header span { min-width: 0; overflow-wrap: anywhere; }
main {
  width: 100%;
  max-width: 27rem;
  padding: 2.25rem 2rem 2rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 1rem;
  box-shadow: var(--shadow);
}
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.02em; text-wrap: balance; }
p { margin: 0 0 1.25rem; color: var(--soft); text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.2em; }
form { margin: 0; }
label { display: block; margin: 0 0 0.375rem; font-weight: 550; }
input:not([type="hidden"]) {
  width: 100%;
  margin: 0 0 1rem;
  padding: 0.6875rem 0.875rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--field);
  border-radius: 0.625rem;
}
input[aria-invalid="true"] { border-color: var(--alert); }
button, .button {
  display: block;
  width: 100%;
  padding: 0.6875rem 1rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  overflow-wrap: anywhere;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid transparent;
  border-radius: 0.625rem;
  cursor: pointer;
  transition: background-color 120ms ease;
}
button:hover, .button:hover { background: var(--accent-strong); }
.quiet { color: var(--text); background: var(--quiet); border-color: var(--line); }
.quiet:hover { background: var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.stack { display: grid; gap: 0.75rem; }
ul.stack { margin: 0; padding: 0; list-style: none; }
.or { display: flex; align-items: center; gap: 0.75rem; margin: 1.25rem 0; color: var(--soft); }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.who {
  margin: 0 0 1.25rem;
  padding: 0.875rem 1rem;
  font-size: 1.0625rem;
  font-weight: 600;
  line-height: 1.35;
  overflow-wrap: anywhere;
  color: var(--text);
  background: var(--quiet);
  border: 1px solid var(--line);
  border-radius: 0.625rem;
}
.lead { margin-bottom: 0.5rem; }
.alert, .note { margin: 0.75rem 0 1.25rem; padding: 0.75rem 1rem; border-radius: 0.625rem; overflow-wrap: anywhere; }
.alert { color: var(--alert); background: var(--alert-ground); }
.note { color: var(--note); background: var(--note-ground); }
.small { margin: 1.5rem 0 0; font-size: 0.875rem; overflow-wrap: anywhere; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
@media (max-width: 30rem) {
  body { justify-content: flex-start; padding: 1.5rem 1rem; }
  main { padding: 1.75rem 1.25rem 1.5rem; }
}
@media (scripting: enabled) {
  body:not([data-known]) .stack > [data-states] { visibility: hidden; }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; animation: none !important; }
}
@media (forced-colors: active) {
  button, .button, .who, .alert, .note { border: 1px solid; }
}
`;
