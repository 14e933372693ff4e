import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import {
  API_KEYS_MAX,
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyCreated,
  type MadeApiKey,
} from '#contract/api-keys.ts';
import { tellAccessEnded } from '../access/ended.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { limitReached } from '../../http/errors.ts';
import { lockProjectRow } from '../projects/locks.ts';
import type { ProjectAccess } from '../../http/env.ts';
import { visibleProjects } from '../projects/queries.ts';
import { hashKey, maskKey, newApiKey } from './keys.ts';

type Row = Pick<
  Selectable<SpeechTables['api_keys']>,
  'id' | 'name' | 'masked' | 'created_at' | 'last_used_at' | 'expires_at'
>;

const toApiKey = (row: Row, createdBy: string | null): ApiKey => ({
  uuid: row.id,
  name: row.name,
  masked_key: row.masked,
  created_at: row.created_at.toISOString(),
  created_by: createdBy,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
});

/**
 * Makes a key for a project. Only its hash is kept: the answer is the one time that it can be read. Undefined when the project, or its
 * maker's place in it, has gone meanwhile: whoever removes them waits for the key, and can revoke it with the others.
 * @throws ApiProblem 429 limit_exceeded
 */
export async function addApiKey(
  db: Db,
  act: Act,
  { projectId, organizationId, name: project }: ProjectAccess,
  { name, expires_at }: ApiKeyCreate,
): Promise<ApiKeyCreated | undefined> {
  const key = newApiKey();
  return db.transaction().execute(async (trx) => {
    // One key of a project at a time, so that the last free place is given once.
    if (!(await lockProjectRow(trx, projectId, 'change'))) return undefined;
    const place = await visibleProjects(trx, act.userId)
      .select('projects.id')
      .where('projects.id', '=', projectId)
      .forKeyShare('memberships')
      .executeTakeFirst();
    if (!place) return undefined;
    const { keys } = await trx
      .selectFrom('api_keys')
      .select((eb) => eb.fn.countAll().as('keys'))
      .where('project_id', '=', projectId)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(keys) >= API_KEYS_MAX)
      throw limitReached(
        `This project has ${API_KEYS_MAX} API keys, the most there can be. Revoke one that is no longer needed.`,
      );
    const row = await trx
      .insertInto('api_keys')
      .values({
        id: randomUUID(),
        project_id: projectId,
        name,
        masked: maskKey(key),
        key_hash: hashKey(key),
        created_by: act.userId,
        created_at: act.at,
        expires_at: expires_at ? new Date(expires_at) : null,
      })
      .returning(['id', 'name', 'masked', 'created_at', 'last_used_at', 'expires_at'])
      .executeTakeFirstOrThrow();
    await recordAudit(trx, act, {
      organizationId,
      action: 'api_key.created',
      subject: name,
      project,
      detail: row.masked,
    });
    return { api_key: toApiKey(row, act.email), key };
  });
}

const keysOf = (db: Db, projectId: string) =>
  db
    .selectFrom('api_keys')
    .leftJoin('users', 'users.id', 'api_keys.created_by')
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.masked',
      'api_keys.created_at',
      'api_keys.last_used_at',
      'api_keys.expires_at',
      'users.email',
    ])
    .where('api_keys.project_id', '=', projectId)
    .where('api_keys.revoked_at', 'is', null);

/** Keys of a project that were not revoked, newest first; expired ones are among them. */
export async function listApiKeys(db: Db, projectId: string): Promise<ApiKey[]> {
  const rows = await keysOf(db, projectId).orderBy('api_keys.position', 'desc').execute();
  return rows.map((row) => toApiKey(row, row.email));
}

/** One of them; undefined where there is none. */
export async function readApiKey(db: Db, projectId: string, id: string): Promise<ApiKey | undefined> {
  const row = await keysOf(db, projectId).where('api_keys.id', '=', id).executeTakeFirst();
  return row && toApiKey(row, row.email);
}

/**
 * Ends a key for good, and with it the temporary keys made by it (they ask for it). The row stays, for what was used with it.
 * @returns false when the project has no such key, or it was revoked before
 */
export async function revokeApiKey(
  db: Db,
  act: Act,
  { projectId, organizationId, name: project }: ProjectAccess,
  id: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const key = await trx
      .updateTable('api_keys')
      .set({ revoked_at: act.at })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(['name', 'masked'])
      .executeTakeFirst();
    if (!key) return false;
    await recordAudit(trx, act, {
      organizationId,
      action: 'api_key.revoked',
      subject: key.name,
      project,
      detail: key.masked,
    });
    await tellAccessEnded(trx);
    return true;
  });
}

/** The keys that somebody made, of an organization or of one of its projects. */
interface Made {
  userId: string;
  organizationId: string;
  /** Left out: all of them. */
  projectId?: string;
}

function madeKeys(db: Db, { userId, organizationId, projectId }: Made) {
  return db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .where('api_keys.created_by', '=', userId)
    .where('api_keys.revoked_at', 'is', null)
    .where('projects.organization_id', '=', organizationId)
    .$if(projectId !== undefined, (query) => query.where('projects.id', '=', projectId ?? ''));
}

/** Those that are not revoked, newest first (SEC-13). */
export async function listMadeKeys(db: Db, made: Made): Promise<MadeApiKey[]> {
  const rows = await madeKeys(db, made)
    .innerJoin('users', 'users.id', 'api_keys.created_by')
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.masked',
      'api_keys.created_at',
      'api_keys.last_used_at',
      'api_keys.expires_at',
      'users.email',
      'projects.id as projectId',
      'projects.name as projectName',
    ])
    .orderBy('api_keys.position', 'desc')
    .execute();
  return rows.map((row) => ({ ...toApiKey(row, row.email), project: { uuid: row.projectId, name: row.projectName } }));
}

/** Ends all of them, as part of the transaction that takes out their maker; it must tell that access has ended. */
export async function revokeMadeKeys(transaction: Transaction<Schema>, act: Act, made: Made): Promise<void> {
  const keys = await madeKeys(transaction, made).select(['api_keys.id', 'projects.name as project']).execute();
  for (const { id, project } of keys) {
    const key = await transaction
      .updateTable('api_keys')
      .set({ revoked_at: act.at })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(['name', 'masked'])
      .executeTakeFirst();
    if (key)
      await recordAudit(transaction, act, {
        organizationId: made.organizationId,
        action: 'api_key.revoked',
        subject: key.name,
        project,
        detail: key.masked,
      });
  }
}
