import { randomInt, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeNewPassword } from '../identity/accounts/password-rule.ts';
import { hashPassword } from '../identity/accounts/passwords.ts';
import { ConfigError, type Config } from '../platform/config.ts';
import type { Services } from '../platform/context.ts';
import { DEMO_PASSWORD_FILE } from '../platform/data-dir.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { createOrganization } from '../tenancy/organizations/queries.ts';
import { createProject } from '../tenancy/projects/queries.ts';

export const DEMO_EMAIL = 'demo@parlance.local';

export interface Demo {
  projectId: string;
  password: string;
}

/** Checks DEMO_PASSWORD by the rule for new passwords (SEC-07). @throws ConfigError */
export async function checkDemoPassword(config: Config): Promise<void> {
  if (config.demoPassword === undefined) return;
  const { isGood } = await judgeNewPassword(config, DEMO_EMAIL, config.demoPassword);
  if (!isGood)
    throw new ConfigError([
      'DEMO_PASSWORD is easy to guess: choose one of several words or random characters, not made of the name of the product.',
    ]);
}

/** Whether other machines can reach the server. */
const isPublic = ({ host, publicUrl }: Config): boolean =>
  !isLoopbackHost(host) || (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname));

/** Everybody knows the demo account's e-mail, so on a public server the operator must choose its password (SEC-07). */
const isWithheld = (config: Config): boolean => config.demoPassword === undefined && isPublic(config);

/**
 * Makes the demo account with an organization and a project, if the embedded database has no user. Without
 * DEMO_PASSWORD it makes a password up, and writes it into the data directory (mode 0600).
 * @returns undefined if there is nothing to do; 'withheld' on a public server without DEMO_PASSWORD
 */
export async function createDemo(services: Services): Promise<Demo | 'withheld' | undefined> {
  const { config, database, db } = services;
  if (database.kind !== 'embedded') return undefined;
  if ((await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined) return undefined;
  if (isWithheld(config)) return 'withheld';
  const password = config.demoPassword ?? madeUpPassword();
  if (config.demoPassword === undefined)
    await writeFile(join(config.dataDir, DEMO_PASSWORD_FILE), `${password}\n`, { mode: 0o600 });
  const now = services.clock();
  const userId = randomUUID();
  await db
    .insertInto('users')
    .values({
      id: userId,
      email: DEMO_EMAIL,
      email_key: DEMO_EMAIL,
      password_hash: await hashPassword(password),
      referral: null,
      created_at: now,
    })
    .execute();
  // No request made it.
  const act = { userId, email: DEMO_EMAIL, requestId: '', at: now };
  const organizationId = await createOrganization(db, act, { name: 'Demo organization', contact_email: DEMO_EMAIL });
  const projectId = await createProject(db, act, organizationId, { name: 'First project', description: '' });
  return { projectId, password };
}

/** 16 letters and digits without look-alikes, in groups: about 79 bits. */
function madeUpPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from({ length: 4 }, () =>
    Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-');
}
