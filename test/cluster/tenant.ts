/** An organization with a project and whoever owns it, straight in a database: what a client begins from. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { LimitName } from '#contract/limits.ts';
import { hashPassword } from '#server/identity/accounts/passwords.ts';
import type { LimitDefaults } from '#server/money/limits/defaults.ts';
import type { Db } from '#server/platform/db/database.ts';
import { hashKey, maskKey, newApiKey } from '#server/tenancy/api-keys/keys.ts';

export const PASSWORD = 'correct horse battery staple';

export interface Tenant {
  email: string;
  organizationId: string;
  projectId: string;
  /** An API key of the project. */
  key: string;
}

/** @param granted what the operator allows the organization, beside the defaults; null for no bound */
export async function makeTenant(db: Db, granted: Partial<LimitDefaults> = {}): Promise<Tenant> {
  const [userId, organizationId, projectId, key] = [randomUUID(), randomUUID(), randomUUID(), newApiKey()];
  const [email, created_at] = [`${userId}@example.com`, new Date()];
  await db
    .with('who', (q) =>
      q.insertInto('users').values({
        id: userId,
        email,
        email_key: email,
        password_hash: passwordHash,
        referral: null,
        created_at,
      }),
    )
    .with('organization', (q) =>
      q.insertInto('organizations').values({
        id: organizationId,
        name: 'o',
        contact_email: email,
        feature_flags: [],
        created_by: userId,
        created_at,
      }),
    )
    .with('membership', (q) =>
      q
        .insertInto('memberships')
        .values({ organization_id: organizationId, user_id: userId, role: 'owner', created_at }),
    )
    .with('project', (q) =>
      q
        .insertInto('projects')
        .values({ id: projectId, organization_id: organizationId, name: 'p', description: '', created_at }),
    )
    .with('member', (q) =>
      q.insertInto('project_members').values({ project_id: projectId, user_id: userId, created_at }),
    )
    .insertInto('api_keys')
    .values({
      id: randomUUID(),
      project_id: projectId,
      name: 'k',
      masked: maskKey(key),
      key_hash: hashKey(key),
      created_by: userId,
      created_at,
    })
    .execute();
  await grant(db, organizationId, granted);
  return { email, organizationId, projectId, key };
}

/** What the operator allows an organization, beside the defaults; null for no bound. */
export async function grant(db: Db, organization_id: string, granted: Partial<LimitDefaults>): Promise<void> {
  for (const [name, value] of Object.entries(granted))
    await db
      .insertInto('organization_limits')
      .values({ organization_id, name: v.parse(LimitName, name), is_granted: true, granted: value })
      .execute();
}

const passwordHash = await hashPassword(PASSWORD);
