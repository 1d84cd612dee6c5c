import { problem } from "./problem.mjs";

const TIMEOUT_MS = 10_000;

/**
 * Exchanges the bootstrap token for an access token, of the first admin or of the user named.
 *
 * @param {{ url: string, bootstrapToken: string, user?: string | undefined }} request
 * @returns {Promise<string>}
 */
export async function requestToken({ url, bootstrapToken, user }) {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "bootstrap",
    client_secret: bootstrapToken,
    ...(user !== undefined && { login_hint: user }),
  });
  const response = await post(`${url}/api/core/auth/token`, form);
  const text = await response.text();
  if (response.ok) {
    /** @type {{ access_token: string }} */
    const { access_token } = JSON.parse(text);
    return access_token;
  }
  const whom = user === undefined ? "" : ` for ${user}`;
  throw problem(`The platform at ${url} gives no token${whom}: ${response.status} ${reasonIn(text)}`);
}

/**
 * @param {string} address
 * @param {URLSearchParams} form
 */
async function post(address, form) {
  try {
    return await fetch(address, { method: "POST", body: form, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw problem(`${address} does not answer: is the platform still starting?`, error);
  }
}

/** @param {string} text */
function reasonIn(text) {
  try {
    /** @type {{ error?: string, error_description?: string, detail?: { msg?: string }[] }} */
    const body = JSON.parse(text);
    return body.error_description ?? body.error ?? body.detail?.[0]?.msg ?? text;
  } catch (error) {
    // Something else than the platform answers on this port.
    if (error instanceof SyntaxError) return text.slice(0, 200);
    throw error;
  }
}
