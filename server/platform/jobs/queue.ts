import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { currentWork } from '../telemetry/work.ts';

/** The channel on which a new job is told, so that workers need not wait for their next look. */
export const JOBS_CHANNEL = 'jobs';
/** The channel on which it is told that jobs were cancelled, so that those that run stop at once. */
export const JOBS_CANCELLED_CHANNEL = 'jobs_cancelled';

/**
 * Interruptions no farther apart than this are at the same place of a recording, milliseconds: the recognizer is given up to 20 seconds at
 * once, so two runs that end in the same stretch of speech have settled at most that much more or less before it.
 */
const SAME_PLACE_MS = 20_000;

export interface Job {
  id: number;
  kind: string;
  subject: string;
  /** This run included. */
  attempts: number;
  /** Claims, this one included. */
  runs: number;
  /** Runs before this one that were cut short at the same place; only where they are counted apart. */
  interruptions: number;
  /** The request that made it; null for what the server does by itself. */
  requestId: string | null;
  /** The span that it continues; null where nothing was traced. */
  traceparent: string | null;
}

/** The job was taken over by another worker, or is gone; what this one did must not count. */
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
  /** The project that it is done for: its organization's turn is used. */
  projectId?: string;
}

/** Adds a job, as a part of the request that it is called for. Call it inside the transaction that makes the row the job is about: both appear, or neither. */
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

/** The same for many subjects of one kind that are nobody's turn, in one statement. */
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

/** Lets jobs that wait run now; those that run are left to it. */
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

/** Keeps the jobs about a subject as they are to the end of the transaction. Take this lock before that of the subject's row: workers do so. */
export async function lockJobs(trx: Transaction<Schema>, subject: string): Promise<void> {
  await trx.selectFrom('jobs').select('id').where('subject', '=', subject).orderBy('id').forUpdate().execute();
}

/** Drops the jobs about these subjects; one that runs finds its lease lost, and stops. @param kinds all when left out */
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
  /** The longest that a job of these kinds is put off. */
  putOffMs?: number;
  /** Only for organizations that have no job of these kinds at work. */
  idleOnly?: boolean;
  /** Whether jobs of workers that fell silent are taken, too. */
  takesOver?: boolean;
  /** A run whose worker fell silent is no attempt. It is counted by the place that it had reached; `all`: each of them, as the runs tell none. */
  interruptionsApart?: 'byPlace' | 'all' | undefined;
}

/**
 * Takes a job that is due, or whose worker stopped renewing its lease: of the organization with the fewest at work, then of the one that
 * was served longest ago, then the oldest. At least once, by one worker at a time.
 * What a clock wrote while it was ahead keeps no job waiting: one that is put off for longer than jobs are (`putOffMs`) is due,
 * and a lease holds no longer than a lease can, with as much again for processes whose clocks differ.
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
      where state = 'running' and lease_until between ${now} and ${after(2 * leaseMs)} and kind in (${sql.join(kinds)}) group by organization_id
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
      interruptions = case when not ${isInterruption} or ${isNowhere} then jobs.interruptions when ${isSamePlace} then jobs.interruptions + 1 else 1 end,
      interrupted_at_ms = case when not ${isInterruption} or ${isNowhere} or ${isSamePlace} then jobs.interrupted_at_ms else jobs.place_ms end,
      place_ms = null, total_ms = null
    from next where jobs.id = next.id
    returning jobs.id, jobs.kind, jobs.subject, jobs.attempts, jobs.runs, jobs.interruptions, jobs.request_id as "requestId", jobs.traceparent`.execute(
    db,
  );
  return rows[0];
}

/** Lets every running job be claimed at once. Only where no other process can be at work: the embedded database, at start. */
export async function expireLeases(db: Queries, now: Date): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_until: new Date(now.getTime() - 1) })
    .where('state', '=', 'running')
    .execute();
}

/** How far a run is in its recording, milliseconds; `totalMs` null where its length is not known. */
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

/** The job as this worker holds it: nobody else may have claimed it since. */
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

  /** Goes on; with the place that the run has reached, where it has a new one. @throws LeaseEnded */
  renew(db: Queries, until: Date, place?: Place): Promise<void> {
    return this.#change(db, { lease_until: until, ...(place && { place_ms: place.placeMs, total_ms: place.totalMs }) });
  }

  /** For later, after a failure. @throws LeaseEnded */
  retry(db: Queries, at: Date, error: string): Promise<void> {
    return this.#change(db, { state: 'ready', worker: null, lease_until: null, run_at: at, last_error: error });
  }

  /** For any worker from a time on, as if it had not been tried. @throws LeaseEnded */
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

  /** For good; the row stays for the operator to see, with when that was. @throws LeaseEnded */
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
