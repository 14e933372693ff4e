import { sql } from 'kysely';
import type { Db } from '#server/platform/db/database.ts';

/** A person has had one starting credit, whatever organizations they make after the first, also once that is gone. @throws Error */
export async function proveOneCredit(db: Db, userId: string, made: readonly string[]): Promise<void> {
  const { rows } = await sql<{ given: string }>`
    select cause as given from ledger_entries where kind = 'credit' and cause like 'credit:start:%' and (
      organization_id in (${sql.join(made)}) or organization_id in (select id from organizations where created_by = ${userId}))`.execute(
    db,
  );
  if (rows.length !== 1) throw new Error(`Somebody has had ${rows.length} starting credits.`);
}
