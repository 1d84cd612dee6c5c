/** What is wrong with an address of an identity provider, in words; undefined: nothing. */
export function providerUrlProblem(text: string): string | undefined {
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  if (!isSafe) {
    return "The address must be https";
  }
  return url.username !== "" || url.password !== "" ? "The address must not hold a password" : undefined;
}

/** Whether a host name can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
