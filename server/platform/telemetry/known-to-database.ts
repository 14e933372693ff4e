import { sql } from 'kysely';
import { isConflict, isDatabaseAway } from '../db/away.ts';
import type { Database } from '../db/database.ts';
import type { Meters } from './meters.ts';

interface Parts {
  meters: Meters;
  database: Database;
}

interface JobRow {
  kind: string;
  waiting: number;
  put_off: number;
  dead: number;
  /** Since when the longest waiting job is due. */
  since: Date | null;
}

const causeOf = (error: unknown): 'away' | 'conflict' | 'refused' => {
  if (isDatabaseAway(error)) return 'away';
  return isConflict(error) ? 'conflict' : 'refused';
};

/** Measures queries, and reports connections at each scrape. */
export function meterQueries({ meters, database }: Parts): void {
  if (!meters.isOn) return;
  database.watch(({ ms, failure }) => {
    meters.observe('parlance_database_query_duration_seconds', {}, ms / 1000);
    if (failure) meters.count('parlance_database_query_failures_total', { cause: causeOf(failure.error) });
  });
  meters.addReader('process', (tell) => {
    for (const { pool, connections, idle, waiting } of database.load()) {
      tell('parlance_database_connections', { pool }, connections);
      tell('parlance_database_connections_idle', { pool }, idle);
      tell('parlance_database_waiting', { pool }, waiting);
    }
  });
}

/** Reports values of all processes from the database at each scrape: jobs, mails, and money that is in no balance. */
export function meterDatabase({ meters, database, clock }: Parts & { clock: () => Date }): void {
  const { reports } = database;
  meters.addReader('database', async (tell) => {
    const now = clock();
    const age = (since: Date | null): number =>
      since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000);
    const { rows: jobs } = await sql<JobRow>`
      select kind, count(*) filter (where state = 'ready' and run_at <= ${now}) as waiting,
        count(*) filter (where state = 'ready' and run_at > ${now}) as put_off,
        count(*) filter (where state = 'dead') as dead,
        min(run_at) filter (where state = 'ready' and run_at <= ${now}) as since
      from jobs group by kind`.execute(reports);
    for (const { kind, waiting, put_off, dead, since } of jobs) {
      tell('parlance_jobs_waiting', { kind }, Number(waiting));
      tell('parlance_jobs_put_off', { kind }, Number(put_off));
      tell('parlance_jobs_dead', { kind }, Number(dead));
      tell('parlance_jobs_oldest_waiting_seconds', { kind }, age(since));
    }
    const mails = await reports
      .selectFrom('mails')
      .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('since')])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('jobs').select('id').whereRef('jobs.subject', '=', 'mails.id').where('jobs.state', '=', 'dead'),
          ),
        ),
      )
      .executeTakeFirstOrThrow();
    tell('parlance_mails_waiting', {}, Number(mails.waiting));
    tell('parlance_mails_oldest_waiting_seconds', {}, age(mails.since));
    const money = await reports
      .selectFrom('refused_events')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('settled_at', 'is', null)
      .executeTakeFirstOrThrow();
    tell('parlance_payment_refused_events', {}, Number(money.waiting));
    const charges = await reports
      .selectFrom('payments')
      .select((eb) => eb.fn.countAll<number>().as('refused'))
      .where('state', 'in', ['due', 'sent'])
      .where('refusal', 'is not', null)
      .executeTakeFirstOrThrow();
    tell('parlance_payment_refused_charges', {}, Number(charges.refused));
  });
}
