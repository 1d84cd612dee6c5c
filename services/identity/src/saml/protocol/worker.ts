import { readIdpMetadata } from "./idp-metadata.js";
import { readLogoutPost, readLogoutRedirect, verifyLogoutPost, verifyLogoutRedirect } from "./logout.js";
import { readResponse, verifyResponse } from "./response.js";

/** What a thread is asked to do. */
export type Work = typeof work;

const work = {
  readResponse,
  verifyResponse,
  readLogoutPost,
  readLogoutRedirect,
  verifyLogoutPost,
  verifyLogoutRedirect,
  readIdpMetadata,
};

/** A call of one of these functions, by name. */
export type Task = { [N in keyof Work]: { name: N; args: Parameters<Work[N]> } }[keyof Work];

/** The library that keeps the threads calls this function of the module. */
export function perform({ name, args }: Task): unknown {
  // Name and arguments belong together: the type says so for each task, but not for all of them at once.
  const named = work[name] as (...args: Task["args"]) => unknown;
  return named(...args);
}
