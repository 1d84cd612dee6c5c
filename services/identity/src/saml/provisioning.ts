import type { Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { hasOtherAdmin, lockAdmins } from "../store/admins.js";
import { findGroupMember, insertGroupMember, removeGroupMember } from "../store/group-members.js";
import { lockGroup } from "../store/groups.js";
import { findOrgDomain } from "../store/org-domains.js";
import { insertOrgMember, lockOrgMember, updateOrgMember } from "../store/org-members.js";
import type { SamlConnectionRow } from "../store/saml-connections.js";
import {
  findSamlIdentity,
  hasSamlIdentity,
  insertSamlIdentity,
  lockSamlName,
  lockSamlUser,
  lockSamlUserByEmail,
  type SamlUserRow,
} from "../store/saml-identities.js";
import { emailKey, insertUser, updateUser } from "../store/users.js";
import { type Asserted, type AssertedUser, readAssertion } from "./assertion-reading.js";
import { reject } from "./rejection.js";

/**
 * Finds or makes the user of an assertion, in the transaction that takes it, and answers the user's id. Who somebody is
 * says the name that the provider gave, and never an e-mail address, beyond the first time.
 */
export async function provision(tx: Tx, connection: SamlConnectionRow, asserted: Asserted): Promise<string> {
  const { org_id: orgId, id: connectionId } = connection;
  const said = readAssertion(asserted, connection);
  if (connection.sync_mode === "force") {
    // What may take an admin's role away takes its turn before any principal is held.
    await lockAdmins(tx);
  }
  await lockSamlName(tx, connectionId, asserted.nameId);
  const known = await findSamlIdentity(tx, orgId, connectionId, asserted.nameId);
  if (known !== undefined) {
    const user = await admitted(tx, orgId, await lockSamlUser(tx, known.user_id));
    if (connection.sync_mode === "force") {
      await follow(tx, connection, user, said);
    }
    return user.id;
  }
  const linked = await linkedByEmail(tx, connection, said);
  const userId = linked?.id ?? (await made(tx, connection, said));
  await insertSamlIdentity(tx, orgId, connectionId, asserted.nameId, userId);
  if (linked !== undefined && connection.sync_mode === "force") {
    await follow(tx, connection, linked, said);
  }
  return userId;
}

/** The user, if this user may sign in here. */
async function admitted(tx: Tx, orgId: string, user: SamlUserRow | undefined): Promise<SamlUserRow> {
  if (user === undefined) {
    return reject("user_unknown");
  }
  if (user.org_id !== orgId) {
    // Only the org that made a user says who that is: a guest's own org never heard of this provider.
    return reject("user_of_another_org");
  }
  if (user.platform_admin) {
    return reject("user_is_platform_admin");
  }
  if (user.status !== "active") {
    return reject("user_disabled");
  }
  return (await lockOrgMember(tx, orgId, user.id)) === undefined ? reject("user_not_in_org") : user;
}

/** The org's user of the asserted address, where an admin allowed it and the domain is the org's. */
async function linkedByEmail(
  tx: Tx,
  connection: SamlConnectionRow,
  { email }: AssertedUser,
): Promise<SamlUserRow | undefined> {
  const { org_id: orgId } = connection;
  const user = email === undefined ? undefined : await lockSamlUserByEmail(tx, orgId, emailKey(email));
  if (email === undefined || user === undefined) {
    return undefined;
  }
  const domain = emailKey(email.slice(email.lastIndexOf("@") + 1));
  const isOurs = connection.link_by_email && (await findOrgDomain(tx, orgId, domain)) !== undefined;
  // A provider that gives an address to somebody else must not hand over the former owner's user with it.
  const isFree = isOurs && !(await hasSamlIdentity(tx, orgId, connection.id, user.id));
  return isFree ? admitted(tx, orgId, user) : reject("email_taken");
}

async function made(tx: Tx, connection: SamlConnectionRow, said: AssertedUser): Promise<string> {
  const { org_id: orgId } = connection;
  if (!connection.jit) {
    return reject("user_unknown");
  }
  const email = said.email ?? reject("email_missing");
  const fresh = { id: newId("usr"), orgId, email, name: said.name ?? email.slice(0, email.lastIndexOf("@")) };
  const user = await insertUser(tx, { ...fresh, platformAdmin: false });
  const member = user && (await insertOrgMember(tx, { orgId, userId: user.id, role: said.role }));
  if (user === undefined || member === undefined) {
    // Another user of the org, or a guest in it, has this address.
    return reject("email_taken");
  }
  await joinGroups(tx, orgId, user.id, said.groupIds);
  return user.id;
}

/** Takes over what is asserted: name, role, and the groups that the mapping knows of. */
async function follow(tx: Tx, connection: SamlConnectionRow, user: SamlUserRow, said: AssertedUser): Promise<void> {
  const { org_id: orgId } = connection;
  if (said.name !== undefined && said.name !== user.name) {
    await updateUser(tx, orgId, user.id, { name: said.name });
  }
  const member = await lockOrgMember(tx, orgId, user.id);
  // An org keeps an admin, whatever its provider says.
  const isLastAdmin = member?.role === "admin" && !(await hasOtherAdmin(tx, orgId, user.id));
  if (member !== undefined && member.role !== said.role && !isLastAdmin) {
    await updateOrgMember(tx, orgId, user.id, said.role);
  }
  const mapped = [...new Set(connection.group_mapping.flatMap(({ group_id }) => group_id ?? []))].sort();
  await joinGroups(tx, orgId, user.id, said.groupIds);
  await leaveGroups(
    tx,
    orgId,
    user.id,
    mapped.filter((groupId) => !said.groupIds.includes(groupId)),
  );
}

// Ids come sorted, so that two sign-ins hold groups in the same order. A group that is gone gives nothing.
async function joinGroups(tx: Tx, orgId: string, principalId: string, groupIds: readonly string[]): Promise<void> {
  for (const groupId of groupIds) {
    const isNew =
      (await findGroupMember(tx, orgId, groupId, principalId)) === undefined &&
      (await lockGroup(tx, orgId, groupId)) !== undefined;
    if (isNew) {
      await insertGroupMember(tx, { orgId, groupId, principalId, manager: false });
    }
  }
}

async function leaveGroups(tx: Tx, orgId: string, principalId: string, groupIds: readonly string[]): Promise<void> {
  for (const groupId of groupIds) {
    if ((await findGroupMember(tx, orgId, groupId, principalId)) !== undefined) {
      await removeGroupMember(tx, orgId, groupId, principalId);
    }
  }
}
