import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@assistant/kit/testing/until.js";
import { newKeyPair } from "../../saml/protocol/key-pair.js";

/** SimpleSAMLphp as identity provider, with one user, over HTTP. */
export interface SimpleSamlPhp {
  origin: string;
  metadataUrl: string;
  ssoPath: string;
  /** Signs or encrypts otherwise from now on. */
  set(how: How): Promise<void>;
  close(): Promise<void>;
}

export interface How {
  encrypted: boolean;
}

const PHP = "/usr/bin/php";
const WWW = "/usr/share/simplesamlphp/www";

/** Whether it is installed here, as Debian does it. */
export const hasSimpleSamlPhp = [PHP, join(WWW, "module.php")].every(existsSync);

export const USER = { username: "ada", password: "correct horse" };

/** `ourMetadata` is all that it learns of us. */
export async function startSimpleSamlPhp(ourMetadata: string): Promise<SimpleSamlPhp> {
  const folder = await mkdtemp(join(tmpdir(), "simplesamlphp-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await writeSettings(folder, origin, ourMetadata);
  const set = ({ encrypted }: How) => writeFile(join(folder, "saml20-idp-hosted.php"), hosted(encrypted));
  await set({ encrypted: false });
  const program = spawn(PHP, ["-S", `127.0.0.1:${port}`, "-t", WWW], {
    env: { SIMPLESAMLPHP_CONFIG_DIR: folder },
    stdio: "ignore",
  });
  const metadataUrl = `${origin}/saml2/idp/metadata.php`;
  await until(async () => (await fetch(metadataUrl)).status === 200, 20_000);
  return {
    origin,
    metadataUrl,
    ssoPath: "/saml2/idp/SSOService.php",
    set,
    close: () => stop(program, folder),
  };
}

async function writeSettings(folder: string, origin: string, ourMetadata: string): Promise<void> {
  const key = await newKeyPair("simplesamlphp", Date.now());
  for (const name of ["temp", "sessions", "log"]) await mkdir(join(folder, name));
  const files = {
    "idp.pem": key.privateKey,
    "idp.crt": key.certificate,
    "ourselves.xml": ourMetadata,
    "config.php": config(folder, origin),
    "authsources.php": `<?php $config = ['people' => ['exampleauth:UserPass',
      '${USER.username}:${USER.password}' => [
        'uid' => ['ada-1'], 'mail' => ['ada@php.example'], 'displayName' => ['Ada Lovelace'],
        'groups' => ['staff', 'writers']]]];`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

function config(folder: string, origin: string): string {
  return `<?php $config = [
    'baseurlpath' => '${origin}/',
    'certdir' => '${folder}/', 'loggingdir' => '${folder}/log/', 'datadir' => '${folder}/', 'tempdir' => '${folder}/temp',
    'metadatadir' => '${folder}/', 'attributenamemapdir' => '/etc/simplesamlphp/attributemap/',
    'secretsalt' => 'a salt for tests alone', 'auth.adminpassword' => 'not used by anybody',
    'admin.checkforupdates' => false, 'enable.saml20-idp' => true, 'logging.handler' => 'file',
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'session.cookie.secure' => false, 'session.cookie.samesite' => null, 'session.phpsession.savepath' => '${folder}/sessions',
    'session.phpsession.cookiename' => 'SimpleSAML', 'session.phpsession.httponly' => true,
    'language.cookie.secure' => false, 'language.cookie.samesite' => null, 'language.default' => 'en',
    'language.available' => ['en'], 'timezone' => 'UTC', 'store.type' => 'phpsession', 'theme.use' => 'default',
    'trusted.url.domains' => null,
    'metadata.sources' => [
      ['type' => 'flatfile', 'directory' => '${folder}/'], ['type' => 'xml', 'file' => '${folder}/ourselves.xml']],
  ];`;
}

function hosted(encrypted: boolean): string {
  return `<?php $metadata['__DYNAMIC:1__'] = [
    'host' => '__DEFAULT__', 'auth' => 'people', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt',
    'saml20.sign.response' => true, 'saml20.sign.assertion' => true, 'assertion.encryption' => ${encrypted},
    'redirect.sign' => true, 'redirect.validate' => true, 'validate.authnrequest' => true,
    'sign.logout' => true, 'validate.logout' => true, 'logouttype' => 'traditional',
    'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    'authproc' => [10 => ['class' => 'saml:AttributeNameID', 'attribute' => 'uid',
      'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent']],
  ];`;
}

/** A port that nobody has: PHP's server tells nobody which it took. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function stop(program: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => program.once("exit", resolve));
  program.kill();
  await ended;
  await rm(folder, { recursive: true, force: true });
}
