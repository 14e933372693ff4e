import { randomInt, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashPassword } from '../accounts/passwords.ts';
import type { Services } from '../context.ts';
import { createOrganization } from '../organizations/queries.ts';
import { createProject } from '../projects/queries.ts';

export const DEMO_EMAIL = 'demo@parlance.local';
export const DEMO_PASSWORD_FILE = 'demo-password';

export interface Demo {
  projectId: string;
  password: string;
}

/**
 * Makes the demo account with an organization and a project, when the embedded database has no user yet.
 * A password that is made up is kept in the data directory (mode 0600). Undefined when there was nothing to do.
 */
export async function createDemo(services: Services): Promise<Demo | undefined> {
  const { config, database, db } = services;
  if (database.kind !== 'embedded') return undefined;
  if (await db.selectFrom('users').select('id').limit(1).executeTakeFirst() !== undefined) return undefined;
  const password = config.demoPassword ?? madeUpPassword();
  if (config.demoPassword === undefined) await writeFile(join(config.dataDir, DEMO_PASSWORD_FILE), `${password}\n`, { mode: 0o600 });
  const now = services.clock();
  const userId = randomUUID();
  await db.insertInto('users').values({ id: userId, email: DEMO_EMAIL, email_key: DEMO_EMAIL, password_hash: await hashPassword(password), referral: null, created_at: now }).execute();
  // Not by a request of anybody.
  const act = { userId, email: DEMO_EMAIL, requestId: '', at: now };
  const organizationId = await createOrganization(db, act, { name: 'Demo organization', contact_email: DEMO_EMAIL });
  const projectId = await createProject(db, act, organizationId, { name: 'First project', description: '' });
  return { projectId, password };
}

/** 16 letters and digits without look-alikes, in groups: about 79 bits. */
function madeUpPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')).join('-');
}
