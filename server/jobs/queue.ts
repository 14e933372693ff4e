import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';

/** The channel on which a new job is told, so that workers need not wait for their next look. */
export const JOBS_CHANNEL = 'jobs';
/** The channel on which it is told that jobs were cancelled, so that those that run stop at once. */
export const JOBS_CANCELLED_CHANNEL = 'jobs_cancelled';

export interface Job {
  id: number;
  kind: string;
  subject: string;
  /** This run included. */
  attempts: number;
}

/** The job was taken over by another worker, or is gone; what this one did must not count. */
export class LeaseLost extends Error {
  constructor() {
    super('The job belongs to another worker now.');
    this.name = 'LeaseLost';
  }
}

type Queries = Kysely<Schema>;

/** Adds a job. Call it inside the transaction that makes the row the job is about: both appear, or neither. */
export async function enqueue(trx: Transaction<Schema>, job: { kind: string; subject: string; now: Date }): Promise<void> {
  await trx.insertInto('jobs').values({ kind: job.kind, subject: job.subject, state: 'ready', attempts: 0, run_at: job.now, worker: null, last_error: null, created_at: job.now }).execute();
  await sql`select pg_notify(${JOBS_CHANNEL}, ${job.kind})`.execute(trx);
}

/** The same for many subjects of one kind, in one statement. */
export async function enqueueAll(trx: Transaction<Schema>, { kind, subjects, now }: { kind: string; subjects: readonly string[]; now: Date }): Promise<void> {
  if (subjects.length === 0) return;
  await sql`insert into jobs (kind, subject, state, attempts, run_at, created_at)
    select ${kind}, subject, 'ready', 0, ${now}, ${now} from unnest(${subjects}::uuid[]) as subject`.execute(trx);
  await sql`select pg_notify(${JOBS_CHANNEL}, ${kind})`.execute(trx);
}

/** Drops the jobs about these subjects; one that runs finds its lease lost, and stops. */
export async function cancelJobs(db: Queries, subjects: readonly string[]): Promise<void> {
  await sql`delete from jobs where subject = any(${subjects}::uuid[])`.execute(db);
  await sql`select pg_notify(${JOBS_CANCELLED_CHANNEL}, '')`.execute(db);
}

const DAY_MS = 24 * 3600_000;

/**
 * Takes the oldest job that is due, or whose worker stopped renewing its lease. At least once, by one worker at a time.
 * What a clock wrote while it was ahead keeps no job waiting: one that is put off for longer than jobs are (`putOffMs`) is due,
 * and a lease holds no longer than a lease can, with as much again for processes whose clocks differ.
 */
export async function claim(db: Queries, claimant: { kinds: readonly string[]; worker: string; now: Date; leaseMs: number; putOffMs?: number }): Promise<Job | undefined> {
  const after = (ms: number): Date => new Date(claimant.now.getTime() + ms);
  return db
    .updateTable('jobs')
    .set((eb) => ({ state: 'running', worker: claimant.worker, attempts: eb('attempts', '+', 1), lease_until: new Date(claimant.now.getTime() + claimant.leaseMs) }))
    .where('id', '=', (eb) => eb
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', [...claimant.kinds])
      .where((or) => or.or([
        or.and([or('state', '=', 'ready'), or.or([or('run_at', '<=', claimant.now), or('run_at', '>', after(claimant.putOffMs ?? DAY_MS))])]),
        or.and([or('state', '=', 'running'), or.or([or('lease_until', '<', claimant.now), or('lease_until', '>', after(2 * claimant.leaseMs))])]),
      ]))
      .orderBy('run_at')
      .orderBy('id')
      .forUpdate()
      .skipLocked()
      .limit(1))
    .returning(['id', 'kind', 'subject', 'attempts'])
    .executeTakeFirst();
}

/** Lets every running job be claimed at once. Only where no other process can be at work: the embedded database, at start. */
export async function expireLeases(db: Queries, now: Date): Promise<void> {
  await db.updateTable('jobs').set({ lease_until: new Date(now.getTime() - 1) }).where('state', '=', 'running').execute();
}

/** The job as this worker holds it: nobody else may have claimed it since. */
export class Hold {
  readonly #job: Job;
  readonly #worker: string;

  constructor(job: Job, worker: string) {
    this.#job = job;
    this.#worker = worker;
  }

  /** Ends the job as part of a transaction. @throws LeaseLost, so that the transaction rolls back */
  async complete(db: Queries): Promise<void> {
    const { numDeletedRows } = await db.deleteFrom('jobs').where('id', '=', this.#job.id).where('worker', '=', this.#worker).where('attempts', '=', this.#job.attempts).where('state', '=', 'running').executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new LeaseLost();
  }

  /** @throws LeaseLost */
  renew(db: Queries, until: Date): Promise<void> {
    return this.#change(db, { lease_until: until });
  }

  /** For later, after a failure. @throws LeaseLost */
  retry(db: Queries, at: Date, error: string): Promise<void> {
    return this.#change(db, { state: 'ready', worker: null, lease_until: null, run_at: at, last_error: error });
  }

  /** For any worker from a time on, as if it had not been tried. @throws LeaseLost */
  async giveBack(db: Queries, from: Date): Promise<void> {
    await this.#change(db, { state: 'ready', worker: null, lease_until: null, run_at: from, attempts: this.#job.attempts - 1 });
    await sql`select pg_notify(${JOBS_CHANNEL}, ${this.#job.kind})`.execute(db);
  }

  /** For good; the row stays for the operator to see. @throws LeaseLost */
  bury(db: Queries, error: string): Promise<void> {
    return this.#change(db, { state: 'dead', worker: null, lease_until: null, last_error: error });
  }

  async #change(db: Queries, values: { state?: 'ready' | 'dead'; worker?: null; lease_until: Date | null; run_at?: Date; attempts?: number; last_error?: string }): Promise<void> {
    const { numUpdatedRows } = await db.updateTable('jobs').set(values).where('id', '=', this.#job.id).where('worker', '=', this.#worker).where('attempts', '=', this.#job.attempts).where('state', '=', 'running').executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new LeaseLost();
  }
}
