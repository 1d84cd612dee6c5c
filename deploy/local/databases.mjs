import pg from "pg";
import { codeOf, problem } from "./problem.mjs";

/**
 * The two URLs of one database: its service's, who may only read and write rows, and its owner's, who migrates it.
 *
 * @typedef {{ url: string, ownerUrl: string }} Database
 */

/**
 * Whose databases they are: the platform with this id, which keeps its data in this folder.
 *
 * @typedef {{ id: string, folder: string }} Holder
 */

const DUPLICATE = new Set(["42710", "42P04", "23505"]);

/**
 * One database with two roles for each name, made where missing.
 *
 * @template {string} Name
 * @param {string} adminUrl
 * @param {readonly Name[]} names
 * @param {(name: string) => string} password
 * @param {Holder} holder
 * @returns {Promise<Record<Name, Database>>}
 */
export async function openDatabases(adminUrl, names, password, holder) {
  const admin = await connect(adminUrl);
  try {
    await checkRights(admin, adminUrl);
    const entries = [];
    for (const name of names)
      entries.push(/** @type {const} */ ([name, await openDatabase(admin, adminUrl, name, password, holder)]));
    // Every name was put in by the loop above.
    return /** @type {Record<Name, Database>} */ (Object.fromEntries(entries));
  } finally {
    await admin.end();
  }
}

/**
 * Leaves nothing of what `openDatabases` made.
 *
 * @param {string} adminUrl
 * @param {readonly string[]} names
 */
export async function dropDatabases(adminUrl, names) {
  const admin = await connect(adminUrl);
  try {
    for (const name of names) {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.query(`drop role if exists ${name}, ${ownerOf(name)}`);
    }
  } finally {
    await admin.end();
  }
}

/**
 * @param {pg.Client} admin
 * @param {string} adminUrl
 * @param {string} name
 * @param {(name: string) => string} password
 * @param {Holder} holder
 * @returns {Promise<Database>}
 */
async function openDatabase(admin, adminUrl, name, password, holder) {
  const owner = ownerOf(name);
  await openRole(admin, name, password(name), holder);
  await openRole(admin, owner, password(owner), holder);
  const { rows } = await admin.query("select pg_get_userbyid(datdba) as owner from pg_database where datname = $1", [
    name,
  ]);
  if (rows.length > 0 && rows[0].owner !== owner) {
    throw problem(
      `The server of DATABASE_URL already has a database ${name} of ${rows[0].owner}: name another server.`,
    );
  }
  if (rows.length === 0) {
    // Without a locale the order of texts is the same on every server.
    await unlessThere(
      admin.query(
        `create database ${name} owner ${owner} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`,
      ),
    );
  }
  const ownerUrl = urlFor(adminUrl, name, owner, password(owner));
  await grant(ownerUrl, name);
  return { url: urlFor(adminUrl, name, name, password(name)), ownerUrl };
}

/**
 * @param {pg.Client} admin
 * @param {string} role
 * @param {string} password
 * @param {Holder} holder
 */
async function openRole(admin, role, password, holder) {
  // The comment tells whose it is: a role of somebody else, another platform too, must keep its password.
  const comment = admin.escapeLiteral(`${markOf(holder)}, data in ${holder.folder}`);
  await unlessThere(admin.query(`create role ${role} login; comment on role ${role} is ${comment}`));
  const { rows } = await admin.query(
    "select shobj_description(oid, 'pg_authid') as comment from pg_roles where rolname = $1",
    [role],
  );
  if (!rows[0]?.comment?.startsWith(markOf(holder))) {
    const whose = /^assistant platform .*, data in (.*)$/.exec(rows[0]?.comment ?? "")?.[1];
    const which = whose === undefined ? "that is not ours" : `of the platform with its data in ${whose}`;
    throw problem(`The server of DATABASE_URL already has a role ${role} ${which}: name another server.`);
  }
  try {
    await admin.query(`alter role ${role} password ${admin.escapeLiteral(password)}`);
    // Only who belongs to a role may give it a database; a superuser belongs to all.
    await admin.query(`grant ${role} to current_user`);
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    throw problem(
      `Role ${role} was made by another user than that of DATABASE_URL: use that one, or a superuser.`,
      error,
    );
  }
}

/** @param {Holder} holder */
function markOf({ id }) {
  return `assistant platform ${id}`;
}

/** @param {string} name */
function ownerOf(name) {
  return `${name}_owner`;
}

/**
 * Rights on whatever the owner makes, now and later.
 *
 * @param {string} ownerUrl
 * @param {string} name
 */
async function grant(ownerUrl, name) {
  const owner = await connect(ownerUrl);
  try {
    await owner.query(`
      revoke connect, temporary on database ${name} from public;
      grant connect on database ${name} to ${name};
      alter default privileges grant select, insert, update, delete on tables to ${name};
      alter default privileges grant usage, select on sequences to ${name};
    `);
  } finally {
    await owner.end();
  }
}

/** @param {string} url */
async function connect(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A server that dies under an idle connection reports here; queries fail by themselves.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { host } = new URL(url);
    const reason = error instanceof Error && error.message !== "" ? error.message : codeOf(error);
    throw problem(`Postgres at ${host} cannot be used: ${reason}. Check DATABASE_URL.`, error);
  }
}

/**
 * @param {pg.Client} admin
 * @param {string} adminUrl
 */
async function checkRights(admin, adminUrl) {
  const { rows } = await admin.query(`
    select rolname, rolsuper or (rolcreatedb and rolcreaterole) as may,
      current_setting('server_version_num')::int as version
    from pg_roles where rolname = current_user`);
  const { rolname, may, version } = rows[0];
  const { host } = new URL(adminUrl);
  if (!may) {
    throw problem(
      `User ${rolname} of DATABASE_URL may not create databases and roles: alter role ${rolname} createdb createrole.`,
    );
  }
  if (version < 140_000) throw problem(`Postgres at ${host} is older than 14: name a newer one in DATABASE_URL.`);
}

/**
 * Another start may have made it since we looked.
 *
 * @param {Promise<unknown>} creation
 */
async function unlessThere(creation) {
  try {
    await creation;
  } catch (error) {
    if (!DUPLICATE.has(codeOf(error) ?? "")) throw error;
  }
}

/**
 * @param {string} adminUrl
 * @param {string} database
 * @param {string} user
 * @param {string} password
 */
function urlFor(adminUrl, database, user, password) {
  const url = new URL(adminUrl);
  url.username = user;
  url.password = password;
  url.pathname = `/${database}`;
  return url.href;
}
