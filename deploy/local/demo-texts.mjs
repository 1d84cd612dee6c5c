/**
 * What a text of the API says in English.
 *
 * @param {unknown} texts by language
 */
export function textOf(texts) {
  return typeof texts === "object" && texts !== null && "en" in texts ? texts.en : undefined;
}
