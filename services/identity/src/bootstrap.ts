import type { Origin } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { hasOrgs, lockFirstOrg } from "./store/first-org.js";
import { insertOrgMember } from "./store/org-members.js";
import { insertOrg } from "./store/orgs.js";
import { insertUser } from "./store/users.js";

export interface FirstOrg {
  orgName: string;
  email: string;
}

/** Makes the first org and its platform admin, once and by one replica; answers whether this was the one. */
export async function bootstrap(db: Postgres, origin: Origin, { orgName, email }: FirstOrg): Promise<boolean> {
  return db.transaction(origin, async (tx) => {
    await lockFirstOrg(tx);
    if (await hasOrgs(tx)) {
      return false;
    }
    const org = await insertOrg(tx, { id: newId("org"), name: orgName, defaultLanguage: "en" });
    const fresh = { id: newId("usr"), orgId: org.id, email, name: ADMIN_NAME, platformAdmin: true };
    const user = await insertUser(tx, fresh);
    if (user === undefined) {
      throw new Error("an org that was only just made has a user already");
    }
    await insertOrgMember(tx, { orgId: org.id, userId: user.id, role: "admin" });
    return true;
  });
}

const ADMIN_NAME = "Platform admin";
