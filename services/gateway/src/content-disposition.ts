/** `Content-Disposition` of a file to be saved (RFC 6266): its name, and an ASCII one for those who read no other. */
export function attachment(name: string): string {
  // A quote or a backslash would need to be escaped, and a percent sign is decoded by some: neither is read alike by all.
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}

/** What RFC 8187 calls an ext-value. Off the wire comes no half of a surrogate pair, over which this would throw. */
function extended(name: string): string {
  const encoded = encodeURIComponent(name);
  return encoded.replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
