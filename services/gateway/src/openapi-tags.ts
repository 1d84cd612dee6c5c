import type { AnyOperation } from "./upload-operation.js";

/** Under which heading an operation stands. */
export function tagOf({ method }: AnyOperation): string {
  const file = method.input.file.name;
  const tag = TAGS.find(({ files }) => files.includes(file));
  if (tag === undefined) throw new Error(`${file}.proto stands under no heading of the document`);
  return tag.name;
}

/** The heading of all pages. */
export const PAGES_TAG = "Sign-in pages";

/** The headings in the order in which one reads them. */
export function documentTags(): object[] {
  return TAGS.map(({ name, description }) => ({ name, description }));
}

interface Tag {
  readonly name: string;
  readonly description: string;
  /** The protos whose requests stand under it. */
  readonly files: readonly string[];
}

const identity = (...nouns: string[]) => nouns.map((noun) => `assistant/identity/v1/${noun}`);

const catalog = (...nouns: string[]) => nouns.map((noun) => `assistant/catalog/v1/${noun}`);

const PAGES: Tag = {
  name: PAGES_TAG,
  description: "Where people sign in and out with a browser: by SAML or by a link. Browsers come here by themselves.",
  files: [],
};

const TAGS: readonly Tag[] = [
  {
    name: "Tokens",
    description: "Getting an access token, prolonging it, ending it, and telling whether one holds. Start here.",
    files: [...identity("tokens"), "assistant/common/v1/callers"],
  },
  PAGES,
  {
    name: "Sessions",
    description: "Who is signed in, from where and until when. Whoever ends a session makes all its tokens worthless.",
    files: identity("sessions"),
  },
  {
    name: "Profile",
    description: "What callers know of themselves: language, model, favorites, sign-ins, and what they may do.",
    files: identity("profiles"),
  },
  {
    name: "Orgs",
    description: "Orgs and their members. An org sees nothing of another; a request acts in the org of its token.",
    files: identity("orgs", "org_members"),
  },
  {
    name: "Users",
    description: "The people of an org.",
    files: identity("users"),
  },
  {
    name: "Groups",
    description: "Groups of users and service accounts, some of whom may manage what is for the group.",
    files: identity("groups", "group_members"),
  },
  {
    name: "Service accounts",
    description: "Programs that act in an org, and the keys by which they get tokens.",
    files: identity("service_accounts", "service_account_keys"),
  },
  {
    name: "Links",
    description:
      "Links that sign in whoever has them: magic links as a service account, QR links as a guest of one use case.",
    files: identity("magic_links"),
  },
  {
    name: "SAML",
    description: "Sign-in by SAML 2.0: the identity providers of orgs, and what they need to know of us.",
    files: identity("saml_connections", "saml_metadata_imports", "saml_connection_tests", "saml_service"),
  },
  {
    name: "Models",
    description: "The models that the platform offers, and which of them an org enables.",
    files: identity("models"),
  },
  {
    name: "Platform settings",
    description: "What the platform is called, whom one asks for help, and its icon.",
    files: identity("platform_settings", "favicons"),
  },
  {
    name: "Use cases",
    description: "What the assistant is used for in an org.",
    files: catalog("use_cases", "use_case_assets", "use_case_translations"),
  },
  {
    name: "Guided search fields",
    description:
      "What users are asked before they search, of use cases and of knowledge assets, and what their answers add to a prompt.",
    files: catalog("guided_fields_use_cases", "guided_fields_knowledge_assets"),
  },
  {
    name: "Knowledge assets",
    description: "What the assistant may search: managed for the org, personal, or external.",
    files: catalog("knowledge_assets"),
  },
  {
    name: "Knowledge sources",
    description: "Where the knowledge of managed assets comes from, and who may see it.",
    files: catalog("knowledge_sources", "knowledge_grants"),
  },
  {
    name: "Contexts",
    description:
      "Texts that the assistant heeds, for an org, a group, a use case or a user, and the order in which they are stacked.",
    files: ["assistant/contexts/v1/contexts"],
  },
  {
    name: "Context categories",
    description: "What contexts are sorted by.",
    files: ["assistant/contexts/v1/context_categories"],
  },
  {
    name: "Conversion",
    description: "Files made into PDF or XLSX. They are not kept, and what is theirs to load or to run is neither.",
    files: ["assistant/conversion/v1/conversions", "assistant/conversion/v1/formats"],
  },
];
