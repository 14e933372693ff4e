import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Database, Db } from '../db/database.ts';
import type { Schema } from '../db/schema.ts';
import { Grace } from '../grace.ts';
import type { Log } from '../log.ts';
import { METRICS, type LabelsOf } from '../telemetry/catalogue.ts';
import type { Meters } from '../telemetry/meters.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { asPartOf, boundTo, currentWork, type Work } from '../telemetry/work.ts';
import { PlaceWriter } from './place-writer.ts';
import { claim, Hold, JOBS_CANCELLED_CHANNEL, JOBS_CHANNEL, LeaseEnded, type Job, type Place } from './queue.ts';

/** A running job. */
export interface RunningJob extends Job {
  /** Aborted when the server stops, the job is cancelled or its lease is lost. */
  signal: AbortSignal;
  /** Ends the job. Call it in the transaction that writes its result. @throws LeaseEnded */
  complete(db: Db): Promise<void>;
  /** Puts the job off without counting this attempt, because it has to wait for something. @throws LeaseEnded */
  postpone(until: Date): Promise<void>;
  /** Writes the progress. Resolves when it is written; never rejects. */
  reached(place: Place): Promise<void>;
}

export interface JobHandler {
  /** Does the work and calls `job.complete`. May run more than once for one job: if it throws, it is retried later. */
  run(job: RunningJob): Promise<void>;
  /** Takes the locks that come before the job's own. Called first in the transactions of `waiting` and `givenUp`. */
  lock?(trx: Transaction<Schema>, job: Job): Promise<void>;
  /** The run failed and will be retried. Called in the transaction that puts the job back. */
  waiting(trx: Transaction<Schema>, job: Job, error: unknown): Promise<void>;
  /** The job failed too often. Called in the transaction that gives it up. */
  givenUp(trx: Transaction<Schema>, job: Job, error: unknown): Promise<void>;
}

export interface WorkerOptions {
  database: Database;
  handlers: Readonly<Record<string, JobHandler>>;
  clock: () => Date;
  log: Log;
  meters: Meters;
  tracer: Tracer;
  /** The largest number of jobs at the same time. */
  concurrency: number;
  /** Further jobs for organizations without a running job, so that others' long jobs do not delay them. */
  extraPlaces?: number;
  /** Gives a job up after so many runs (at the same place) whose process died. Left out, these count as attempts. */
  maxInterruptions?: number;
  /** Whether runs report their progress. */
  tellsPlaces?: boolean;
  /** Whether this process can run such jobs now; else other processes claim them. */
  mayClaim?: () => boolean;
  /** A job is taken over if its worker has not renewed the lease for this long. */
  leaseMs?: number;
  /** Interval of polls, in case a notification is lost. */
  pollMs?: number;
  maxAttempts?: number;
  /** Wait before the next attempt, by the number of attempts so far. */
  backoffMs?: (attempts: number) => number;
}

/** Longest time for which a handler postpones a job. */
const POSTPONED_MAX_MS = 60_000;
const OUTCOMES = METRICS.parlance_jobs_ended_total.labels.outcome;
type Outcome = LabelsOf<'parlance_jobs_ended_total'>['outcome'];

/** The default of `maxInterruptions`: interruptions count as attempts. */
const UNCOUNTED = Infinity;

const backoff = (attempts: number): number => Math.min(300_000, 1000 * 2 ** attempts);

/** Too many runs of the job were interrupted, as if it kills the server: another run would do the same. */
class Cursed extends Error {
  constructor() {
    super('The server stopped every time it worked on this.');
    this.name = 'Cursed';
  }
}

const workOf = ({ id, kind, requestId, traceparent }: Job): Work => ({
  requestId: requestId ?? undefined,
  traceparent: traceparent ?? undefined,
  job: { id, kind },
});

/** Claims and runs jobs, and renews the lease of each while it runs. */
export class JobWorker {
  readonly #options: Required<WorkerOptions>;
  readonly #name = randomUUID();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #grace: Grace;
  /** Longer than any backoff, jitter included, and any postponement. */
  readonly #putOffMs: number;
  #wake: () => void = () => {};
  #loop: Promise<void> | undefined;
  readonly #unlisten: (() => void)[] = [];
  /** Renews the lease of each running job, and so finds out whether it was cancelled. */
  readonly #renewals = new Set<() => void>();
  /** Current runs by kind. */
  readonly #runs = new Map<string, number>();

  constructor(options: WorkerOptions) {
    this.#options = {
      leaseMs: 30_000,
      pollMs: 2000,
      maxAttempts: 5,
      backoffMs: backoff,
      extraPlaces: 0,
      maxInterruptions: UNCOUNTED,
      tellsPlaces: false,
      mayClaim: () => true,
      ...options,
    };
    this.#grace = new Grace(this.#options.leaseMs);
    this.#putOffMs = Math.max(POSTPONED_MAX_MS, 2 * this.#options.backoffMs(this.#options.maxAttempts));
  }

  async start(): Promise<void> {
    const { database, handlers, meters } = this.#options;
    for (const kind of Object.keys(handlers)) {
      this.#runs.set(kind, 0);
      for (const outcome of OUTCOMES) meters.count('parlance_jobs_ended_total', { kind, outcome }, 0);
    }
    meters.addReader('process', (tell) => {
      for (const [kind, runs] of this.#runs) tell('parlance_jobs_running', { kind }, runs);
    });
    this.#unlisten.push(await database.listen(JOBS_CHANNEL, () => this.#wake()));
    this.#unlisten.push(
      await database.listen(JOBS_CANCELLED_CHANNEL, () => {
        for (const renew of this.#renewals) renew();
      }),
    );
    this.#loop = this.#run();
  }

  /** Claims no more jobs, and hands the running ones back for the next start or another process. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const {
      database,
      handlers,
      clock,
      log,
      concurrency,
      extraPlaces,
      maxInterruptions,
      tellsPlaces,
      mayClaim,
      leaseMs,
    } = this.#options;
    const interruptionsApart = maxInterruptions === UNCOUNTED ? undefined : tellsPlaces ? 'byPlace' : 'all';
    while (!this.#stopping.signal.aborted) {
      // Arm the wake-up before claiming, so that a job that comes in meanwhile is not missed.
      const woken = this.#sleep();
      let job: Job | undefined;
      if (mayClaim() && this.#running.size < concurrency + extraPlaces) {
        try {
          const now = clock();
          job = await claim(database.db, {
            kinds: Object.keys(handlers),
            worker: this.#name,
            now,
            leaseMs,
            putOffMs: this.#putOffMs,
            idleOnly: this.#running.size >= concurrency,
            takesOver: this.#grace.isOver(now),
            interruptionsApart,
          });
        } catch (error) {
          this.#grace.failed();
          log.error({ err: error }, 'looking for jobs failed');
        }
      }
      if (job) {
        const run = this.#measured(job).finally(() => {
          this.#running.delete(run);
          this.#wake();
        });
        this.#running.add(run);
        this.#wake();
      } else await woken;
    }
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #measured(job: Job): Promise<void> {
    const { meters, tracer } = this.#options;
    const { kind, attempts } = job;
    const span = tracer.start(`job ${kind}`, 'consumer', workOf(job), { 'job.kind': kind, 'job.attempts': attempts });
    const began = performance.now();
    this.#runs.set(kind, (this.#runs.get(kind) ?? 0) + 1);
    const outcome = await asPartOf(span.work, () => this.#attempt(job));
    this.#runs.set(kind, (this.#runs.get(kind) ?? 1) - 1);
    const failed = outcome === 'retried' || outcome === 'given_up' ? outcome : undefined;
    span.end({ failed, attributes: { 'job.outcome': outcome } });
    meters.count('parlance_jobs_ended_total', { kind, outcome });
    meters.observe('parlance_job_duration_seconds', { kind }, (performance.now() - began) / 1000);
  }

  async #attempt(job: Job): Promise<Outcome> {
    const {
      database: { db },
      handlers,
      clock,
      log,
      leaseMs,
      maxAttempts,
      maxInterruptions,
    } = this.#options;
    const hold = new Hold(job, this.#name);
    const leaseEnded = new AbortController();
    const renewWith = (place?: Place): Promise<void> =>
      hold.renew(db, new Date(clock().getTime() + leaseMs), place).catch((error: unknown) => {
        if (error instanceof LeaseEnded) return leaseEnded.abort(error);
        this.#grace.failed();
        log.error({ err: error }, 'renewing the lease of a job failed');
      });
    // Notifications call it outside of this job's context, so bind it for the logs.
    const renew = boundTo(currentWork(), () => void renewWith());
    const places = new PlaceWriter(renewWith);
    const renewal = setInterval(renew, leaseMs / 3);
    this.#renewals.add(renew);
    const handler = handlers[job.kind];
    let outcome: Outcome = 'done';
    try {
      if (!handler) throw new Error(`No handler for ${job.kind}`);
      if (job.attempts > maxAttempts || job.interruptions >= maxInterruptions) throw new Cursed();
      await handler.run({
        ...job,
        signal: AbortSignal.any([this.#stopping.signal, leaseEnded.signal]),
        complete: (trx) => hold.complete(trx),
        postpone: (until) => {
          outcome = 'put_off';
          return hold.giveBack(db, until);
        },
        reached: (place) => places.write(place),
      });
    } catch (error) {
      if (error instanceof LeaseEnded || leaseEnded.signal.aborted) {
        outcome = 'cancelled';
        log.warn('a job was cancelled or taken over');
      } else outcome = await this.#putBack(job, hold, handler, error);
    } finally {
      clearInterval(renewal);
      this.#renewals.delete(renew);
    }
    return outcome;
  }

  async #putBack(job: Job, hold: Hold, handler: JobHandler | undefined, error: unknown): Promise<Outcome> {
    const {
      database: { db },
      clock,
      log,
      maxAttempts,
      backoffMs,
    } = this.#options;
    let outcome: Outcome = 'retried';
    try {
      await db.transaction().execute(async (trx) => {
        await handler?.lock?.(trx, job);
        if (this.#stopping.signal.aborted) {
          outcome = 'handed_back';
          await hold.giveBack(trx, clock());
        } else if (job.attempts >= maxAttempts || error instanceof Cursed) {
          log.error({ err: error }, 'a job was given up');
          outcome = 'given_up';
          await hold.bury(trx, clock(), String(error));
          return handler?.givenUp(trx, job, error);
        } else {
          log.warn({ err: error, attempts: job.attempts }, 'a job failed and is tried again');
          await hold.retry(trx, new Date(clock().getTime() + backoffMs(job.attempts)), String(error));
        }
        await handler?.waiting(trx, job, error);
      });
    } catch (failure) {
      // The lease expires by itself, and the job is retried then.
      log.error({ err: failure }, 'a failed job could not be put back');
    }
    return outcome;
  }
}
