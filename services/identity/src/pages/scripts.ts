/** Takes the token of a magic link out of the address, where no server sees it, and asks who one becomes by it. */
export const MAGIC_SCRIPT = `const form = document.querySelector("form");
const reading = document.querySelector("[role=status]");
const tokenIn = (link) => new URLSearchParams(link.slice(link.indexOf("#") + 1)).get("t");
const take = () => {
  const token = tokenIn(location.hash);
  history.replaceState(null, "", location.pathname);
  if (token === null) return;
  form.elements.token.value = token;
  form.hidden = true;
  reading.hidden = false;
  form.submit();
};
form.addEventListener("submit", () => {
  const { token } = form.elements;
  token.value = tokenIn(token.value) ?? token.value.trim();
});
addEventListener("hashchange", take);
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  form.hidden = false;
  reading.hidden = true;
});
take();
`;

/** Sends a form that needs nobody's decision. */
export const SUBMIT_SCRIPT = `document.querySelector("form").submit();
`;

/** Finds out whether somebody is signed in. Only a request of this very page brings the cookie along: it is a strict one. */
export const HOME_SCRIPT = `const show = (state) => {
  for (const part of document.querySelectorAll("[data-states]")) {
    part.hidden = !part.dataset.states.split(" ").includes(state);
  }
  document.body.dataset.known = "";
};
const signIn = async () => {
  const body = new URLSearchParams({ grant_type: "refresh_token" });
  const answer = await fetch("/api/core/auth/token", { method: "POST", body });
  if (answer.status === 400 || answer.status === 401) return undefined;
  if (!answer.ok) throw new Error("no answer");
  return (await answer.json()).access_token;
};
const nameOf = async (token) => {
  const answer = await fetch("/api/core/user/profile", { headers: { Authorization: "Bearer " + token } });
  return answer.ok ? (await answer.json()).email : null;
};
const look = async () => {
  show("looking");
  const token = await signIn();
  if (token === undefined) return show("out");
  const name = await nameOf(token).catch(() => null);
  document.querySelector("[data-name]").textContent = name ?? "";
  show(name === null ? "in" : "named");
};
look().catch(() => show("unknown"));
`;
