import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import {
  API_KEYS_MAX,
  type ApiKey,
  type ApiKeyCreate,
  type ApiKeyCreated,
  type MemberApiKey,
} from '#contract/api-keys.ts';
import { announceAccessEnded } from '../access/ended.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { limitReached } from '../../platform/refusal.ts';
import { apiKeyNotFound } from '../not-found.ts';
import { lockProjectRow } from '../projects/locks.ts';
import type { ProjectAccess } from '../../platform/callers.ts';
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
 * Makes an API key. Only its hash is stored, so only this answer has the key. Locks the maker's membership: a removal
 * of the maker waits, and can then revoke this key too.
 * @returns undefined if the project is gone or the maker no longer sees it @throws Refusal limit_exceeded
 */
export async function addApiKey(
  db: Db,
  act: Act,
  { projectId, organizationId, name: project }: ProjectAccess,
  { name, expires_at }: ApiKeyCreate,
): Promise<ApiKeyCreated | undefined> {
  const key = newApiKey();
  return db.transaction().execute(async (trx) => {
    // The lock makes keys of a project one at a time, so that the count below holds.
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

/** A project's API keys, newest first: expired ones too, revoked ones not. */
export async function listApiKeys(db: Db, projectId: string): Promise<ApiKey[]> {
  const rows = await keysOf(db, projectId).orderBy('api_keys.position', 'desc').execute();
  return rows.map((row) => toApiKey(row, row.email));
}

/** Like {@link listApiKeys}, one key. */
export async function readApiKey(db: Db, projectId: string, id: string): Promise<ApiKey | undefined> {
  const row = await keysOf(db, projectId).where('api_keys.id', '=', id).executeTakeFirst();
  return row && toApiKey(row, row.email);
}

/**
 * Revokes an API key for good. Its temporary keys stop working too, because each use checks the key. The row stays,
 * because usage refers to it. @throws Refusal not_found if the project has no such key, or it is revoked already
 */
export async function revokeApiKey(
  db: Db,
  act: Act,
  { projectId, organizationId, name: project }: ProjectAccess,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const key = await trx
      .updateTable('api_keys')
      .set({ revoked_at: act.at })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(['name', 'masked'])
      .executeTakeFirst();
    if (!key) throw apiKeyNotFound();
    await recordAudit(trx, act, {
      organizationId,
      action: 'api_key.revoked',
      subject: key.name,
      project,
      detail: key.masked,
    });
    await announceAccessEnded(trx);
  });
}

/** Selects the keys that a user made in an organization. */
interface MemberKeyFilter {
  userId: string;
  organizationId: string;
  /** Only keys of this project; all projects if left out. */
  projectId?: string;
}

function memberKeys(db: Db, { userId, organizationId, projectId }: MemberKeyFilter) {
  return db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .where('api_keys.created_by', '=', userId)
    .where('api_keys.revoked_at', 'is', null)
    .where('projects.organization_id', '=', organizationId)
    .$if(projectId !== undefined, (query) => query.where('projects.id', '=', projectId ?? ''));
}

/** The keys that a user made and nobody has revoked, newest first (SEC-13). */
export async function listMemberKeys(db: Db, made: MemberKeyFilter): Promise<MemberApiKey[]> {
  const rows = await memberKeys(db, made)
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

/** Revokes the keys that a user made, in the caller's transaction, which must also call `announceAccessEnded`. */
export async function revokeMemberKeys(
  transaction: Transaction<Schema>,
  act: Act,
  made: MemberKeyFilter,
): Promise<void> {
  const keys = await memberKeys(transaction, made).select(['api_keys.id', 'projects.name as project']).execute();
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
