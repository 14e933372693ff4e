import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { currentWork } from '../telemetry/work.ts';

/** Notification channel for new jobs, so that workers need not wait for their next poll. */
export const JOBS_CHANNEL = 'jobs';
/** Notification channel for cancelled jobs, so that running ones stop at once. */
export const JOBS_CANCELLED_CHANNEL = 'jobs_cancelled';

/**
 * Two interruptions no farther apart than this, in milliseconds of the recording, count as the same place. The
 * recognizer decodes up to 20 seconds at once, so the progress of two runs that die in the same speech differs by at
 * most that.
 */
const SAME_PLACE_MS = 20_000;

export interface Job {
  id: number;
  kind: string;
  subject: string;
  /** Attempts, this one included. */
  attempts: number;
  /** Claims, this one included. */
  runs: number;
  /** Earlier runs that were interrupted at the same place, if interruptions are counted apart from attempts. */
  interruptions: number;
  /** The request that made it; null if the server made it by itself. */
  requestId: string | null;
  /** The parent span; null if nothing was traced. */
  traceparent: string | null;
}

/** Another worker has taken the job over, or the job is gone: this run's result must not count. */
export class LeaseEnded extends Error {
  constructor() {
    super('The job belongs to another worker now.');
    this.name = 'LeaseEnded';
  }
}

type Queries = Kysely<Schema>;

interface NewJob {
  kind: string;
  subject: string;
  now: Date;
  /** The project that it works for; its organization takes the turn. */
  projectId?: string;
}

/** Adds a job, linked to the current request. Call it in the transaction that writes the job's subject. */
export async function enqueue(trx: Transaction<Schema>, { kind, subject, now, projectId }: NewJob): Promise<void> {
  await trx
    .insertInto('jobs')
    .values((eb) => ({
      kind,
      subject,
      state: 'ready',
      attempts: 0,
      run_at: now,
      worker: null,
      last_error: null,
      created_at: now,
      request_id: currentWork()?.requestId ?? null,
      traceparent: currentWork()?.traceparent ?? null,
      organization_id:
        projectId === undefined
          ? null
          : eb.selectFrom('projects').select('organization_id').where('id', '=', projectId),
    }))
    .execute();
  await sql`select pg_notify(${JOBS_CHANNEL}, ${kind})`.execute(trx);
}

/** Adds a job for each subject, in one statement; the jobs take no organization's turn. */
export async function enqueueAll(
  trx: Transaction<Schema>,
  { kind, subjects, now }: { kind: string; subjects: readonly string[]; now: Date },
): Promise<void> {
  if (subjects.length === 0) return;
  await sql`insert into jobs (kind, subject, state, attempts, run_at, created_at, request_id, traceparent)
    select ${kind}, subject, 'ready', 0, ${now}, ${now}, ${currentWork()?.requestId ?? null}::text,
      ${currentWork()?.traceparent ?? null}::text from unnest(${subjects}::uuid[]) as subject`.execute(trx);
  await sql`select pg_notify(${JOBS_CHANNEL}, ${kind})`.execute(trx);
}

/** Makes waiting jobs due now. Leaves running ones alone. */
export async function hurryJobs(
  trx: Transaction<Schema>,
  { kind, subjects, now }: { kind: string; subjects: readonly string[]; now: Date },
): Promise<void> {
  if (subjects.length === 0) return;
  await trx
    .updateTable('jobs')
    .set({ run_at: now })
    .where('kind', '=', kind)
    .where(sql<boolean>`subject = any(${subjects}::uuid[])`)
    .where('state', '=', 'ready')
    .execute();
  await sql`select pg_notify(${JOBS_CHANNEL}, ${kind})`.execute(trx);
}

/** Locks the jobs of a subject to the end of the transaction. Like workers, take this lock before the subject's row. */
export async function lockJobs(trx: Transaction<Schema>, subject: string): Promise<void> {
  await trx.selectFrom('jobs').select('id').where('subject', '=', subject).orderBy('id').forUpdate().execute();
}

/** Deletes the jobs of these subjects. A running one finds its lease lost, and stops. @param kinds default: all */
export async function cancelJobs(db: Queries, subjects: readonly string[], kinds?: readonly string[]): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where(sql<boolean>`subject = any(${subjects}::uuid[])`)
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .execute();
  await sql`select pg_notify(${JOBS_CANCELLED_CHANNEL}, '')`.execute(db);
}

const DAY_MS = 24 * 3600_000;

export interface Claimant {
  kinds: readonly string[];
  worker: string;
  now: Date;
  leaseMs: number;
  /** Longest time for which a job of these kinds is put off. */
  putOffMs?: number;
  /** Claims only for organizations without a running job of these kinds. */
  idleOnly?: boolean;
  /** Whether to claim jobs whose lease has expired, too. */
  takesOver?: boolean;
  /**
   * Counts runs with an expired lease as interruptions, not as attempts. `byPlace`: only those in a row at the same
   * place; `all`: all of them, because these runs report no place. Undefined: as attempts.
   */
  interruptionsApart?: 'byPlace' | 'all' | undefined;
}

/**
 * Claims a job that is due, or whose lease has expired. Chooses the organization with the fewest running jobs, then the
 * one served longest ago, then the oldest job. Each job runs at least once, by one worker at a time. A clock that was
 * wrongly ahead must not delay jobs: one put off for longer than `putOffMs` is due, and a lease that ends later than
 * two lease times from now has expired (twice, because clocks of processes differ).
 */
export async function claim(
  db: Queries,
  { kinds, worker, now, leaseMs, putOffMs = DAY_MS, idleOnly = false, takesOver = true, interruptionsApart }: Claimant,
): Promise<Job | undefined> {
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  const isInterruption = sql`(jobs.state = 'running' and ${interruptionsApart !== undefined}::boolean)`;
  const isSamePlace =
    interruptionsApart === 'all' ? sql`true` : sql`abs(jobs.place_ms - jobs.interrupted_at_ms) <= ${SAME_PLACE_MS}`;
  const isNowhere = interruptionsApart === 'all' ? sql`false` : sql`jobs.place_ms is null`;
  const { rows } = await sql<Job>`
    with held as (
      select organization_id, count(*) as running from jobs
      where state = 'running' and lease_until between ${now} and ${after(2 * leaseMs)} and kind in (${sql.join(kinds)})
      group by organization_id
    ), next as (
      select job.id, job.organization_id, job.kind from jobs as job
      left join held on held.organization_id = job.organization_id
      left join job_turns as turn on turn.organization_id = job.organization_id and turn.kind = job.kind
      where job.kind in (${sql.join(kinds)})
        and ((job.state = 'ready' and (job.run_at <= ${now} or job.run_at > ${after(putOffMs)}))
          or (${takesOver}::boolean and job.state = 'running' and (job.lease_until < ${now} or job.lease_until > ${after(2 * leaseMs)})))
        and (not ${idleOnly}::boolean or (job.organization_id is not null and held.running is null))
      order by coalesce(held.running, 0), turn.served nulls first, job.run_at, job.id
      limit 1
      for update of job skip locked
    ), turn as (
      insert into job_turns (organization_id, kind) select organization_id, kind from next where organization_id is not null
      on conflict (organization_id, kind) do update set served = default
    )
    update jobs set
      state = 'running', worker = ${worker}, lease_until = ${after(leaseMs)}, runs = jobs.runs + 1,
      attempts = case when ${isInterruption} then jobs.attempts else jobs.attempts + 1 end,
      interruptions = case
        when not ${isInterruption} or ${isNowhere} then jobs.interruptions
        when ${isSamePlace} then jobs.interruptions + 1
        else 1 end,
      interrupted_at_ms = case
        when not ${isInterruption} or ${isNowhere} or ${isSamePlace} then jobs.interrupted_at_ms
        else jobs.place_ms end,
      place_ms = null, total_ms = null
    from next where jobs.id = next.id
    returning jobs.id, jobs.kind, jobs.subject, jobs.attempts, jobs.runs, jobs.interruptions,
      jobs.request_id as "requestId", jobs.traceparent`.execute(db);
  return rows[0];
}

/** Expires all leases. Call it only if no other process can be running jobs: at start with the embedded database. */
export async function expireLeases(db: Queries, now: Date): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_until: new Date(now.getTime() - 1) })
    .where('state', '=', 'running')
    .execute();
}

/** Progress of a run in its recording, milliseconds; `totalMs` is null if the length is unknown. */
export interface Place {
  placeMs: number;
  totalMs: number | null;
}

interface Change {
  state?: 'ready' | 'dead';
  worker?: null;
  lease_until: Date | null;
  run_at?: Date;
  attempts?: number;
  last_error?: string;
  place_ms?: number | null;
  total_ms?: number | null;
}

/** This worker's lease of a job. Every method fails if another worker has claimed the job since. */
export class Hold {
  readonly #job: Job;
  readonly #worker: string;

  constructor(job: Job, worker: string) {
    this.#job = job;
    this.#worker = worker;
  }

  /** Ends the job as part of a transaction. @throws LeaseEnded, so that the transaction rolls back */
  async complete(db: Queries): Promise<void> {
    const { numDeletedRows } = await db
      .deleteFrom('jobs')
      .where('id', '=', this.#job.id)
      .where('worker', '=', this.#worker)
      .where('runs', '=', this.#job.runs)
      .where('state', '=', 'running')
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new LeaseEnded();
  }

  /** Renews the lease, and writes the run's progress if given. @throws LeaseEnded */
  renew(db: Queries, until: Date, place?: Place): Promise<void> {
    return this.#change(db, { lease_until: until, ...(place && { place_ms: place.placeMs, total_ms: place.totalMs }) });
  }

  /** Puts the job back after a failure, due at `at`. @throws LeaseEnded */
  retry(db: Queries, at: Date, error: string): Promise<void> {
    return this.#change(db, { state: 'ready', worker: null, lease_until: null, run_at: at, last_error: error });
  }

  /** Puts the job back, due at `from`, without counting this attempt. @throws LeaseEnded */
  async giveBack(db: Queries, from: Date): Promise<void> {
    await this.#change(db, {
      state: 'ready',
      worker: null,
      lease_until: null,
      run_at: from,
      attempts: this.#job.attempts - 1,
    });
    await sql`select pg_notify(${JOBS_CHANNEL}, ${this.#job.kind})`.execute(db);
  }

  /** Gives the job up. Its row stays for the operator, with the time `at`. @throws LeaseEnded */
  bury(db: Queries, at: Date, error: string): Promise<void> {
    return this.#change(db, { state: 'dead', worker: null, lease_until: null, run_at: at, last_error: error });
  }

  async #change(db: Queries, values: Change): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable('jobs')
      .set(values)
      .where('id', '=', this.#job.id)
      .where('worker', '=', this.#worker)
      .where('runs', '=', this.#job.runs)
      .where('state', '=', 'running')
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new LeaseEnded();
  }
}
