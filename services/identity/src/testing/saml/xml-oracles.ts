import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { validateXML } from "xmllint-wasm";

const SCHEMAS = join(import.meta.dirname, "../../saml/attacks/schemas");
const ALL = [
  "saml-schema-metadata-2.0.xsd",
  "saml-schema-protocol-2.0.xsd",
  "saml-schema-assertion-2.0.xsd",
  "xmldsig-core-schema.xsd",
  "xenc-schema.xsd",
  "xml.xsd",
];

/** What the schema of the standard finds wrong with a document. */
export async function schemaErrors(text: string, schema: "metadata" | "protocol"): Promise<string[]> {
  const files = await Promise.all(
    ALL.map(async (fileName) => ({ fileName, contents: await readFile(join(SCHEMAS, fileName), "utf8") })),
  );
  const isMain = ({ fileName }: { fileName: string }) => fileName === `saml-schema-${schema}-2.0.xsd`;
  const { errors } = await validateXML({
    xml: [{ fileName: "document.xml", contents: text }],
    schema: files.filter(isMain),
    preload: files.filter((file) => !isMain(file)),
  });
  return errors.map(({ message }) => message);
}

/** Whether there is a second implementation of XML signatures on this machine. */
export const hasXmlsec = spawnSync("xmlsec1", ["--version"]).status === 0;

/** Verifies the signature over the root, with another implementation than ours; throws where it does not hold. */
export async function verifyWithXmlsec(text: string, certificate: string, idElement: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "xmlsec-"));
  try {
    const [document, trusted] = [join(folder, "document.xml"), join(folder, "certificate.pem")];
    await writeFile(document, text);
    await writeFile(trusted, certificate);
    const key = ["--pubkey-cert-pem", trusted, "--id-attr:ID", idElement];
    await promisify(execFile)("xmlsec1", ["--verify", "--enabled-key-data", "rsa", ...key, document]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Signs what a document has a template for, with another implementation than ours. */
export async function signWithXmlsec(template: string, privateKey: string, idElement: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "xmlsec-"));
  try {
    const [document, key] = [join(folder, "document.xml"), join(folder, "key.pem")];
    await writeFile(document, template);
    await writeFile(key, privateKey, { mode: 0o600 });
    const words = ["--sign", "--privkey-pem", key, "--id-attr:ID", idElement, document];
    return (await promisify(execFile)("xmlsec1", words)).stdout.trimEnd();
  } finally {
    await rm(folder, { recursive: true });
  }
}
