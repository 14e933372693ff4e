import type { Transaction } from 'kysely';
import type { Counts } from '#contract/files.ts';
import type { Db } from '../platform/db/database.ts';
import type { Schema } from '../platform/db/schema.ts';
import type { Origin } from '../platform/db/speech-tables.ts';
import { lockProjectRow } from '../tenancy/projects/locks.ts';
import { projectNotFound } from './not-found.ts';

/** Counts a project's rows, in all and by origin. */
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
 * Locks a project until the transaction ends, so that two requests cannot both take the last place.
 * @throws Refusal project_not_found if the project is gone
 */
export async function lockProject(trx: Transaction<Schema>, projectId: string): Promise<void> {
  if (!(await lockProjectRow(trx, projectId, 'change'))) throw projectNotFound();
}
