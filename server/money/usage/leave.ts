/** Removes the usage of a deleted organization. */
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { chargeStreams } from './record.ts';

/** Tables of use by project, in the order in which writers lock them. */
const ROLLED_UP = ['usage_hourly', 'usage_daily', 'log_days', 'stream_peaks'] as const;

/**
 * Removes the usage of an organization that is being deleted. Charges its running streams first. Keeps live sessions,
 * and the cost by month for proving the books. Requires that the transaction has locked and deleted all projects.
 */
export async function removeUsage(trx: Transaction<Schema>, organizationId: string, now: Date): Promise<void> {
  const projects = trx.selectFrom('deleted_projects').select('id').where('organization_id', '=', organizationId);
  await chargeStreams(trx, organizationId, now);
  const used = trx.selectFrom('usage_rows').select('id').where('project_id', 'in', projects);
  await trx.deleteFrom('usage_once').where('id', 'in', used).execute();
  await sql`with gone as (
      delete from usage_rows where project_id in (${projects}) returning ended_at, cost_micros
    )
    insert into pruned_usage as known (organization_id, month, requests, cost_micros)
    select ${organizationId}::uuid, date_trunc('month', ended_at at time zone 'UTC')::date, count(*), coalesce(sum(cost_micros), 0)
    from gone group by 2 order by 2
    on conflict (organization_id, month) do update set
      requests = known.requests + excluded.requests, cost_micros = known.cost_micros + excluded.cost_micros`.execute(
    trx,
  );
  for (const table of ROLLED_UP) await trx.deleteFrom(table).where('project_id', 'in', projects).execute();
}
