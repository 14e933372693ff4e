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

/** A job while it runs. */
export interface RunningJob extends Job {
  /** Aborted when the server stops, the job is cancelled or its lease is lost. */
  signal: AbortSignal;
  /** Ends the job; as part of the transaction that writes its result. @throws LeaseEnded */
  complete(db: Db): Promise<void>;
  /** Puts the job off without counting this run; for one that has to wait for others. @throws LeaseEnded */
  postpone(until: Date): Promise<void>;
  /** Keeps how far the work has come, for those who ask and for the run that follows an interruption. Resolves when it is written; never rejects. */
  reached(place: Place): Promise<void>;
}

export interface JobHandler {
  /** Does the work and calls `job.complete`. May run more than once for one job. What it throws is tried again later. */
  run(job: RunningJob): Promise<void>;
  /** Takes the locks that come before the job's own; part of the transactions of the two below. */
  lock?(trx: Transaction<Schema>, job: Job): Promise<void>;
  /** The run that failed is to be tried again; part of the transaction that puts the job back. */
  waiting(trx: Transaction<Schema>, job: Job, error: unknown): Promise<void>;
  /** It failed too often and is not tried again; part of the transaction that says so. */
  givenUp(trx: Transaction<Schema>, job: Job, error: unknown): Promise<void>;
}

export interface WorkerOptions {
  database: Database;
  handlers: Readonly<Record<string, JobHandler>>;
  clock: () => Date;
  log: Log;
  meters: Meters;
  tracer: Tracer;
  /** Jobs at the same time. */
  concurrency: number;
  /** As many more for organizations that have none at work, so that others' long jobs do not keep them waiting. */
  extraPlaces?: number;
  /** Runs that may be cut short because their process ended: at the same place, where runs tell theirs. Left out, such a run is an attempt like any other. */
  maxInterruptions?: number;
  /** Whether runs tell how far they have come. */
  tellsPlaces?: boolean;
  /** Whether this process can do such jobs now; else they are left to others. */
  mayClaim?: () => boolean;
  /** How long a worker may be silent before its jobs are taken over. */
  leaseMs?: number;
  /** The longest wait before looking again, should a notification be lost. */
  pollMs?: number;
  maxAttempts?: number;
  /** Wait before the next attempt, given the number of those made. */
  backoffMs?: (attempts: number) => number;
}

/** The longest that a handler puts a job off for others. */
const POSTPONED_MAX_MS = 60_000;
const OUTCOMES = METRICS.parlance_jobs_ended_total.labels.outcome;
type Outcome = LabelsOf<'parlance_jobs_ended_total'>['outcome'];

/** Counts no interruption. */
const UNCOUNTED = Infinity;

const backoff = (attempts: number): number => Math.min(300_000, 1000 * 2 ** attempts);

/** The server stopped every time it worked on this job, or every time at the same place: another run would do the same. */
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

/** Works off jobs, each under a lease that is renewed while it runs. */
export class JobWorker {
  readonly #options: Required<WorkerOptions>;
  readonly #name = randomUUID();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #grace: Grace;
  /** Longer than any wait for the next attempt, whatever its jitter, or for others. */
  readonly #putOffMs: number;
  #wake: () => void = () => {};
  #loop: Promise<void> | undefined;
  readonly #unlisten: (() => void)[] = [];
  /** One per running job: looks whether it is still this worker's. */
  readonly #renewals = new Set<() => void>();
  /** Runs under way by kind. */
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
    meters.ask('process', (tell) => {
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

  /** Takes no more jobs and hands the running ones back, for the next start or another process. May be called again. */
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
      // Armed before the look, so that a job that comes in meanwhile is not slept through.
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
    // Notifications come from outside of the work.
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
      // The lease runs out by itself, and the job is tried again then.
      log.error({ err: failure }, 'a failed job could not be put back');
    }
    return outcome;
  }
}
