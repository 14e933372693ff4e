import type { Transaction } from 'kysely';
import type { Counts } from '#contract/files.ts';
import type { Db } from '../platform/db/database.ts';
import type { Schema } from '../platform/db/schema.ts';
import type { Origin } from '../platform/db/speech-tables.ts';
import { lockProjectRow } from '../tenancy/projects/locks.ts';
import { projectNotFound } from './not-found.ts';

/** How many rows a project has, and who made them. */
export async function countByOrigin(db: Db, table: 'files' | 'transcriptions', projectId: string): Promise<Counts> {
  const rows = await db
    .selectFrom(table)
    .select(['origin', (eb) => eb.fn.countAll().as('count')])
    .where('project_id', '=', projectId)
    .groupBy('origin')
    .execute();
  const of = (origin: Origin): number => Number(rows.find((row) => row.origin === origin)?.count ?? 0);
  return { total: of('public_api') + of('playground'), public_api: of('public_api'), playground: of('playground') };
}

/**
 * Lets one request of a project add rows at a time, so that two cannot take the last place. Held to the end of the transaction.
 * @throws ApiProblem 404 project_not_found when it was deleted meanwhile
 */
export async function lockProject(trx: Transaction<Schema>, projectId: string): Promise<void> {
  if (!(await lockProjectRow(trx, projectId, 'change'))) throw projectNotFound();
}
