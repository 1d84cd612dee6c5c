import { randomBytes } from "node:crypto";
import { newKeyPair } from "@assistant/identity/saml/protocol/key-pair.js";
import type { Platform } from "../platform.js";
import type { People, Who } from "./people.js";

/** What stands in the braces of a path, and what a body says of it. */
export type Names = Readonly<Record<string, string>>;

export type TargetName = keyof ReturnType<typeof createTargets>;

/** What a new guided search field needs. */
export const newField = { name: "region", label: { en: "Region" }, type: "text" };

/** Each makes something new in the first org for one person to try one operation on. */
export function createTargets(platform: Platform, people: People) {
  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${people.token("root")}`, "content-type": "application/json" };
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${platform.url}/api/core${path}`, request);
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    // Whoever asks names what the operation answers.
    return (await answer.json()) as T;
  };
  const post = <T = { id: string }>(path: string, body: object) => send<T>("POST", path, body);

  const user = async () => {
    const { id, email } = await post<{ id: string; email: string }>("/users", { email: newEmail(), name: "Somebody" });
    return { user_id: id, email };
  };
  const group = async () => ({ group_id: (await post("/groups", { name: "A group" })).id });
  const account = async () => ({ service_account_id: (await post("/service-accounts", { name: "A program" })).id });
  const useCase = async () => ({ use_case_id: (await post("/use-cases", { label: { en: "A use case" } })).id });
  const knowledgeSource = async () => ({
    knowledge_source_id: (await post("/knowledge_sources", { name: "A source" })).id,
  });
  const knowledgeAsset = async () => {
    const { knowledge_source_id } = await knowledgeSource();
    await post(`/knowledge_sources/${knowledge_source_id}/grants`, { principal_id: people.orgId });
    const body = { label: { en: "An asset" }, knowledge_source_ids: [knowledge_source_id] };
    return { knowledge_asset_id: (await post("/knowledge_assets", body)).id };
  };
  const model = async () => {
    const model_id = `model-${randomBytes(6).toString("hex")}`;
    await send("PUT", `/models/${model_id}`, { name: "A model" });
    return { model_id };
  };
  // Making a key takes long; providers may share one, since they are told apart by their names.
  const keyPair = newKeyPair("A provider", Date.now());
  const newSamlConnection = async () => {
    const slug = `idp-${randomBytes(6).toString("hex")}`;
    const { certificate } = await keyPair;
    return { slug, entity_id: `https://${slug}.example/metadata`, certificate };
  };
  const useCaseAndAsset = async () => {
    const about = { category: "external", label: { en: "An asset" } };
    return { ...(await useCase()), knowledge_asset_id: (await post("/knowledge_assets", about)).id };
  };
  return {
    user,
    group,
    account,
    useCase,
    model,
    async leaver() {
      const { user_id } = await user();
      await send("DELETE", `/orgs/${people.orgId}/members/${user_id}`);
      return { user_id };
    },
    async groupAndUser() {
      return { ...(await group()), ...(await user()) };
    },
    async groupMember() {
      const [{ group_id }, { user_id }] = [await group(), await user()];
      await post(`/groups/${group_id}/members`, { principal_id: user_id });
      return { group_id, principal_id: user_id };
    },
    async key() {
      const { service_account_id } = await account();
      const { id } = await post(`/service-accounts/${service_account_id}/keys`, {});
      return { service_account_id, key_id: id };
    },
    async magicLink() {
      const { service_account_id } = await account();
      const { token_id } = await post<Link>(`/service-accounts/${service_account_id}/magic-links`, {});
      return { service_account_id, token_id };
    },
    async deletedUseCase() {
      const names = await useCase();
      await send("DELETE", `/use-cases/${names.use_case_id}`);
      return names;
    },
    knowledgeSource,
    async knowledgeGrant() {
      return { ...(await knowledgeSource()), principal_id: people.orgId };
    },
    async heldKnowledgeGrant() {
      const { knowledge_source_id } = await knowledgeSource();
      const { user_id } = await user();
      await post(`/knowledge_sources/${knowledge_source_id}/grants`, { principal_id: user_id });
      return { knowledge_source_id, principal_id: user_id };
    },
    /** Everybody of the org may see it, and the guest not: it is attached to no use case. */
    knowledgeAsset,
    async deletedKnowledgeAsset() {
      const names = await knowledgeAsset();
      await send("DELETE", `/knowledge_assets/${names.knowledge_asset_id}`);
      return names;
    },
    useCaseAndAsset,
    async attachedAsset() {
      const names = await useCaseAndAsset();
      await send("PUT", `/use-cases/${names.use_case_id}/knowledge-assets/${names.knowledge_asset_id}`, {});
      return names;
    },
    async useCaseField() {
      const { use_case_id } = await useCase();
      return { use_case_id, field_id: (await post(`/guided_search_fields/use_case/${use_case_id}`, newField)).id };
    },
    async assetField() {
      const { knowledge_asset_id } = await knowledgeAsset();
      const path = `/guided_search_fields/knowledge_asset/${knowledge_asset_id}`;
      return { knowledge_asset_id, field_id: (await post(path, newField)).id };
    },
    async qrLink() {
      const { use_case_id } = await useCase();
      const { token_id } = await post<Link>(`/use-cases/${use_case_id}/qr-link`, {});
      return { use_case_id, token_id };
    },
    newSamlConnection,
    async samlConnection() {
      const names = await newSamlConnection();
      const { id } = await post<{ id: string }>("/saml/connections", samlSettings(names));
      return { ...names, connection_id: id };
    },
    newDomain,
    async domain() {
      const names = await newDomain();
      await send("PUT", `/orgs/${people.orgId}/domains/${names.domain}`);
      return names;
    },
    /** Of the person who tries. */
    ownSession: async (who: Who) => ({ session_id: await people.newSession(who) }),
    memberSession: async () => ({ session_id: await people.newSession("member") }),
    ownToken: async (who: Who) => ({ token: people.token(who) }),
  };
}

interface Link {
  token_id: string;
}

/** A body that says all that a connection needs. */
export function samlSettings({ slug = "", entity_id, certificate }: Names): object {
  const sso_url = `https://${slug}.example/sso`;
  return { slug, name: "An identity provider", entity_id, sso_url, certificates: [certificate] };
}

/** The same as an identity provider publishes it. */
export function samlMetadata({ slug = "", entity_id, certificate = "" }: Names): string {
  const bytes = certificate.replace(/-----[A-Z ]+-----|\n/g, "");
  const binding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity_id}">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">
      <X509Data><X509Certificate>${bytes}</X509Certificate></X509Data>
    </KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="${binding}" Location="https://${slug}.example/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`;
}

async function newDomain(): Promise<Names & { domain: string }> {
  return { domain: `${randomBytes(6).toString("hex")}.example` };
}

export function newEmail(): string {
  return `${randomBytes(6).toString("hex")}@rights.example`;
}
