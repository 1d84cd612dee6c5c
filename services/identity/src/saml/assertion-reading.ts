import type { Role } from "@assistant/kit/caller/caller.js";
import { greatestRole } from "../rights.js";
import type { SamlConnectionRow } from "../store/saml-connections.js";
import { reject } from "./rejection.js";
import { NAME_ID_FORMAT_URIS } from "./words.js";

/** The parts of a verified assertion that tell about the user. */
export interface Asserted {
  nameId: string;
  nameIdFormat: string | undefined;
  attributes: ReadonlyMap<string, readonly string[]>;
}

/** What an assertion means in the org of the connection. */
export interface AssertedUser {
  /** Undefined: none was asserted. */
  email: string | undefined;
  name: string | undefined;
  role: Role;
  /** Groups of the org that the user is said to be in. */
  groupIds: readonly string[];
}

/** Reads a verified assertion by the mappings of its connection. */
export function readAssertion(asserted: Asserted, connection: SamlConnectionRow): AssertedUser {
  const { attribute_mapping: mapping, group_mapping, default_role } = connection;
  const groups = valuesOf(asserted, namesFor(mapping.groups, GROUP_NAMES));
  const rules = group_mapping.filter(({ value }) => groups.includes(value));
  const roles = rules.flatMap(({ role }) => role ?? []);
  return {
    email: readEmail(asserted, mapping.email),
    name: readName(asserted, mapping.name),
    role: greatestRole(roles) ?? default_role,
    groupIds: [...new Set(rules.flatMap(({ group_id }) => group_id ?? []))].sort(),
  };
}

const EMAIL_LENGTH_MAX = 254;
const NAME_LENGTH_MAX = 200;
const EMAIL = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u;

// What the common identity providers call them, by friendly name, by number, and as Microsoft does.
const CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const EMAIL_NAMES = ["email", "mail", "urn:oid:0.9.2342.19200300.100.1.3", `${CLAIMS}/emailaddress`];
const FULL_NAMES = [
  "displayName",
  "name",
  "cn",
  "urn:oid:2.16.840.1.113730.3.1.241",
  "urn:oid:2.5.4.3",
  `${CLAIMS}/name`,
];
const GIVEN_NAMES = ["givenName", "firstName", "urn:oid:2.5.4.42", `${CLAIMS}/givenname`];
const FAMILY_NAMES = ["sn", "surname", "lastName", "urn:oid:2.5.4.4", `${CLAIMS}/surname`];
const GROUP_NAMES = [
  "groups",
  "group",
  "memberOf",
  "Role",
  "urn:oid:1.3.6.1.4.1.5923.1.5.1.1",
  "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups",
];

function namesFor(mapped: string | undefined, usual: readonly string[]): readonly string[] {
  return mapped === undefined ? usual : [mapped];
}

/** The values of the first of some attributes that has any. */
function valuesOf({ attributes }: Asserted, names: readonly string[]): readonly string[] {
  return names.map((name) => attributes.get(name) ?? []).find((values) => values.length > 0) ?? [];
}

function readEmail(asserted: Asserted, mapped: string | undefined): string | undefined {
  const values = new Set(valuesOf(asserted, namesFor(mapped, EMAIL_NAMES)));
  if (values.size > 1) {
    // Which of them is the user's own is not ours to choose.
    reject("email_ambiguous");
  }
  const [asAttribute] = values;
  const asName = asserted.nameIdFormat === NAME_ID_FORMAT_URIS.email_address ? asserted.nameId : undefined;
  const email = asAttribute ?? (mapped === undefined ? asName : undefined);
  if (email !== undefined && !isAddress(email)) {
    reject("email_malformed");
  }
  return email;
}

/** In one form of its letters only: what becomes another text in it could become the address of somebody else. */
function isAddress(email: string): boolean {
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) && email === email.normalize("NFC");
}

function readName(asserted: Asserted, mapped: string | undefined): string | undefined {
  const whole = valuesOf(asserted, namesFor(mapped, FULL_NAMES))[0];
  const parts =
    mapped === undefined ? [GIVEN_NAMES, FAMILY_NAMES].flatMap((names) => valuesOf(asserted, names)[0] ?? []) : [];
  const name = (whole ?? parts.join(" ")).trim();
  return name === "" ? undefined : Array.from(name).slice(0, NAME_LENGTH_MAX).join("");
}
