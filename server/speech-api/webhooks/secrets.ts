import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { SECRET_OVERLAP_HOURS, type ShownSecret, type SigningSecret } from '#contract/webhooks.ts';
import { Refusal, limitReached } from '../../platform/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { sealerFor, Unreadable, type Sealer } from '../../platform/sealed.ts';
import type { SecretFor } from '../../platform/secrets.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import type { ProjectAccess } from '../../platform/callers.ts';
import { newSecret } from './signing.ts';

const OVERLAP_MS = SECRET_OVERLAP_HOURS * 3600_000;
/** The largest number of valid secrets of a project. Each adds a signature to every webhook. */
const SIGNING_MAX = 4;

/** Seals signing secrets, by the id of their row. */
export const secretSealer = (secretFor: SecretFor): Sealer => sealerFor(secretFor, 'signing secrets of webhooks');

/** Makes the current secret, if the project has none. */
async function makeSecret(db: Db, sealer: Sealer, projectId: string, now: Date): Promise<void> {
  const id = randomUUID();
  await db
    .insertInto('webhook_secrets')
    .values({ id, project_id: projectId, sealed: sealer.seal(newSecret(), id), created_at: now })
    // If another request has made it at the same time, that one counts.
    .onConflict((conflicts) => conflicts.column('project_id').where('expires_at', 'is', null).doNothing())
    .execute();
}

/** The valid secrets: first the current one, then rolled ones that have not expired. */
const validSecrets = (db: Db, projectId: string, now: Date) =>
  db
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('expires_at', (order) => order.desc().nullsFirst())
    .execute();

/**
 * The secrets that sign a project's webhooks now. Makes the first one when it is needed. Leaves out a rolled secret
 * that cannot be read. @throws Unreadable if the current one cannot be read
 */
export async function signingSecrets(db: Db, sealer: Sealer, projectId: string, now: Date): Promise<string[]> {
  let rows = await validSecrets(db, projectId, now);
  if (!rows.some(({ expires_at }) => expires_at === null)) {
    await makeSecret(db, sealer, projectId, now);
    rows = await validSecrets(db, projectId, now);
  }
  return rows.flatMap(({ id, sealed, expires_at }) => {
    try {
      return [sealer.open(sealed, id)];
    } catch (error) {
      if (expires_at === null || !(error instanceof Unreadable)) throw error;
      return [];
    }
  });
}

/** Facts about the signing secret, without the secret. */
export async function readSigningSecret(db: Db, projectId: string, now: Date): Promise<SigningSecret> {
  const [current, previous] = await validSecrets(db, projectId, now);
  return {
    created_at: current?.created_at.toISOString() ?? null,
    was_shown: (current?.shown_at ?? null) !== null,
    old_until: previous?.expires_at?.toISOString() ?? null,
  };
}

/** Reads the current secret, and notes that it was shown. Makes it if there is none. */
async function reveal(trx: Transaction<Schema>, sealer: Sealer, projectId: string, now: Date): Promise<ShownSecret> {
  await makeSecret(trx, sealer, projectId, now);
  const { id, sealed } = await trx
    .updateTable('webhook_secrets')
    .set({ shown_at: now })
    .where('project_id', '=', projectId)
    .where('expires_at', 'is', null)
    .returning(['id', 'sealed'])
    .executeTakeFirstOrThrow();
  // Other pages still offer to show it.
  await sql`select tell_pages(${JSON.stringify({ type: 'webhook.changed', project_uuid: projectId })})`.execute(trx);
  return { secret: sealer.open(sealed, id), signing_secret: await readSigningSecret(trx, projectId, now) };
}

/**
 * Shows the secret once; makes it if there is none. Undefined if the project is gone.
 * @throws Refusal conflict if it was shown before
 */
export async function showSecret(
  db: Db,
  sealer: Sealer,
  act: Act,
  project: ProjectAccess,
): Promise<ShownSecret | undefined> {
  const { projectId } = project;
  return db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'change'))) return undefined;
    const { was_shown } = await readSigningSecret(trx, projectId, act.at);
    if (was_shown)
      throw new Refusal('conflict', 'secret_shown', 'The signing secret was shown before. Roll it to get a new one.');
    await noteSecret(trx, act, project, 'webhook_secret.shown');
    return reveal(trx, sealer, projectId, act.at);
  });
}

/**
 * Makes a new secret. The old one signs, too, for {@link SECRET_OVERLAP_HOURS}. Undefined if the project is gone.
 * @throws Refusal limit if {@link SIGNING_MAX} secrets are valid
 */
export async function rollSecret(
  db: Db,
  sealer: Sealer,
  act: Act,
  project: ProjectAccess,
): Promise<ShownSecret | undefined> {
  const { projectId } = project;
  return db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'change'))) return undefined;
    await trx
      .deleteFrom('webhook_secrets')
      .where('project_id', '=', projectId)
      .where('expires_at', '<=', act.at)
      .execute();
    const { length } = await validSecrets(trx, projectId, act.at);
    if (length >= SIGNING_MAX)
      throw limitReached(
        `${SIGNING_MAX} secrets sign the webhooks of this project, the most there can be. Roll again when one has expired.`,
      );
    await trx
      .updateTable('webhook_secrets')
      .set({ expires_at: new Date(act.at.getTime() + OVERLAP_MS) })
      .where('project_id', '=', projectId)
      .where('expires_at', 'is', null)
      .execute();
    await noteSecret(trx, act, project, 'webhook_secret.rolled');
    return reveal(trx, sealer, projectId, act.at);
  });
}

const noteSecret = (
  trx: Transaction<Schema>,
  act: Act,
  { organizationId, name }: ProjectAccess,
  action: 'webhook_secret.shown' | 'webhook_secret.rolled',
): Promise<void> => recordAudit(trx, act, { organizationId, action, subject: name, project: name });
