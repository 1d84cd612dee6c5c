/**
 * Where a browser may be led once it is signed in: a path of this platform, as the browser itself would read it. All
 * that is anything else becomes `/`.
 */
export function safeReturnTo(text: string | undefined, publicUrl: string): string {
  if (text === undefined || text.length > LENGTH_MAX || !PATH.test(text) || !URL.canParse(text, publicUrl)) {
    return "/";
  }
  const url = new URL(text, publicUrl);
  const isElsewhere = url.origin !== new URL(publicUrl).origin || url.pathname.startsWith("//");
  return isElsewhere || isOfSignIn(url.pathname) ? "/" : `${url.pathname}${url.search}${url.hash}`;
}

const LENGTH_MAX = 2_000;

// One slash, and no second in either spelling: `//host` and `/\host` are other hosts. Browsers drop controls.
const PATH = /^\/(?![/\\])[^\p{Cc}]*$/u;

/** Whether a path belongs to signing in or out: who came back there would go round in a circle, or out again. */
function isOfSignIn(pathname: string): boolean {
  const plain = new URL(`http://any${decoded(pathname)}`).pathname.toLowerCase().replaceAll(/\/+/g, "/");
  return SIGN_IN.some((path) => plain === path || plain.startsWith(`${path}/`));
}

const SIGN_IN = ["/login", "/api/core/saml", "/api/core/auth"];

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    // Percent signs that mean nothing are taken as they are.
    return pathname;
  }
}
