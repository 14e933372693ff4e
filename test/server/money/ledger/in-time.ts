import { sql } from 'kysely';
import type { Db } from '#server/platform/db/database.ts';
import type { Clocks } from './clocks.ts';

const MINUTE_MS = 60_000;
/** The longest that a charge is put off after a decline. */
const PUT_OFF_MS = 72 * 60 * MINUTE_MS;
/** Until when its job looks at it: each minute where it is due, else half an hour after it has failed again. */
const LOOK_MS = { due: MINUTE_MS, sent: 30 * MINUTE_MS };

/**
 * What is to be charged, or asked about, is so in time: what a clock wrote that was ahead waits for no longer than if that had been right.
 * @throws Error
 */
export async function proveInTime(db: Db, organizations: readonly string[], { latest }: Clocks): Promise<void> {
  const { rows } = await sql<{ id: string; state: 'due' | 'sent'; run_at: Date; looks_at: Date | null }>`
    select payments.id, payments.state, payments.run_at,
      min(case when jobs.state = 'ready' then jobs.run_at when jobs.state = 'running' then jobs.lease_until end) as looks_at
    from payments left join jobs on jobs.subject = payments.id and jobs.kind = 'autopay'
    where payments.organization_id in (${sql.join(organizations)}) and payments.kind = 'autopay'
      and (payments.state = 'due' or (payments.state = 'sent' and payments.provider_id is null))
    group by payments.id`.execute(db);
  for (const { id, state, run_at, looks_at } of rows) {
    const told = `The charge ${id} is ${state}, waits until ${run_at.toISOString()}, and is looked at ${looks_at?.toISOString() ?? 'by nobody'}.`;
    const isPutOff = state === 'due' && run_at.getTime() > latest + PUT_OFF_MS;
    if (looks_at === null || looks_at.getTime() > latest + LOOK_MS[state] || isPutOff) throw new Error(told);
  }
}
