/** @typedef {import("@bufbuild/protobuf").DescFile} DescFile */
/**
 * @typedef {import("@bufbuild/protobuf").DescMessage | import("@bufbuild/protobuf").DescField
 *   | import("@bufbuild/protobuf").DescService | import("@bufbuild/protobuf").DescMethod} Commented
 */

/**
 * What the comment above an element of a .proto file says.
 * @param {Commented} element
 */
export function commentOf(element) {
  const file = "file" in element ? element.file : element.parent.file;
  const text = commentsOf(file).get(pathOf(element).join(".")) ?? "";
  return text.replaceAll(/\n ?/g, "\n").trim().replaceAll("\n", " ");
}

/** @type {Map<DescFile, Map<string, string>>} */
const known = new Map();

/** @param {DescFile} file */
function commentsOf(file) {
  const locations = file.proto.sourceCodeInfo?.location ?? [];
  const comments = known.get(file) ?? new Map(locations.map((place) => [place.path.join("."), place.leadingComments]));
  known.set(file, comments);
  return comments;
}

/**
 * Where an element stands in its file: numbers of the descriptor's fields and indexes into them.
 * @param {Commented} element
 * @returns {number[]}
 */
function pathOf(element) {
  switch (element.kind) {
    case "message":
      return element.parent
        ? [...pathOf(element.parent), 3, element.parent.nestedMessages.indexOf(element)]
        : [4, element.file.messages.indexOf(element)];
    case "field":
      return [...pathOf(element.parent), 2, element.parent.fields.indexOf(element)];
    case "service":
      return [6, element.file.services.indexOf(element)];
    case "rpc":
      return [...pathOf(element.parent), 2, element.parent.methods.indexOf(element)];
  }
}
