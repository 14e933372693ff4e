import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isConflict, isLockTimeout } from '../../platform/db/away.ts';
import type { Db } from '../../platform/db/database.ts';
import { CONNECTIONS } from '../../platform/db/postgres.ts';
import type { Log } from '../../platform/log.ts';
import { outsideWork } from '../../platform/telemetry/work.ts';
import { endLiveSession, type LiveEnd } from '../../money/usage/record.ts';

/**
 * The largest number of ends that may wait for the database. Beyond it the oldest is dropped and billed up to its last
 * heartbeat.
 */
const MAX_WAITING = 10_000;
/** The largest number of ends written at the same time, each on its own connection. */
const MAX_WRITERS = 4;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** How long a stopping server tries to write its last ends. */
const CLOSING_MS = 10_000;
/** SQLSTATE classes that a retry does not help: bad data, violated constraints, a wrong table. */
const PERMANENT = /^(22|23|42)/;

export interface LiveEndsOptions {
  db: Db;
  log: Log;
  /** Connections to the database; ends use at most half of them. */
  connections?: number;
  maxWaiting?: number;
  closingMs?: number;
}

/** The ends of one project, written one at a time. A failed one goes to the back. */
interface ProjectQueue {
  ids: Set<string>;
  /** Failed tries since the last successful one. */
  failures: number;
  /** Whether the log has a warning about these failures. */
  isLogged: boolean;
}

interface Waiting extends LiveEnd {
  queue: ProjectQueue;
  /** Resolves the promise of {@link LiveEnds.add}. */
  settle: () => void;
}

/**
 * Writes down how live sessions ended. Retries each end until it is written, so that a restart of the database loses
 * nothing. Each project has its own queue: if an end waits for a lock (of the deletion of its organization, say), other
 * projects go on. If this process dies first, a session is billed up to its last heartbeat.
 */
export class LiveEnds {
  readonly #options: Required<LiveEndsOptions>;
  /** By session, oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  /** By project. */
  readonly #queues = new Map<string, ProjectQueue>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #freeWriters: number;
  /** Wakes the next queue that waits for a writer. */
  readonly #waitingForWriter: (() => void)[] = [];
  /** Tries that failed because the database was away, since the last successful one. */
  #awayFailures = 0;

  constructor(options: LiveEndsOptions) {
    this.#options = { connections: CONNECTIONS, maxWaiting: MAX_WAITING, closingMs: CLOSING_MS, ...options };
    // Each pausing queue adds a listener.
    setMaxListeners(0, this.#stop.signal);
    this.#freeWriters = Math.max(1, Math.min(MAX_WRITERS, Math.floor(this.#options.connections / 2)));
  }

  /** Ends that are not written yet, by session. */
  get waiting(): ReadonlyMap<string, LiveEnd> {
    return this.#waiting;
  }

  /** Queues an end. Resolves when it is written or dropped; never rejects. */
  add(id: string, end: LiveEnd, projectId: string): Promise<void> {
    const { log, maxWaiting } = this.#options;
    const existing = this.#queues.get(projectId);
    const queue = existing ?? { ids: new Set(), failures: 0, isLogged: false };
    queue.ids.add(id);
    const settled = new Promise<void>((settle) => this.#waiting.set(id, { ...end, queue, settle }));
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= maxWaiting) break;
      this.#drop(oldest);
      log.error(
        { session: oldest },
        'too many ended live sessions wait for the database: this one is billed up to its last heartbeat',
      );
    }
    if (existing === undefined) this.#begin(projectId, queue);
    return settled;
  }

  #drop(id: string): void {
    const end = this.#waiting.get(id);
    this.#waiting.delete(id);
    end?.queue.ids.delete(id);
    end?.settle();
  }

  /** Resolves when all ends are written, or after the time limit. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), this.#options.closingMs);
    while (this.#running.size > 0) await Promise.all(this.#running);
    clearTimeout(timer);
    if (this.#waiting.size > 0)
      this.#options.log.error(
        { sessions: this.#waiting.size },
        'the database is away: the last live sessions are billed up to their last heartbeat',
      );
  }

  #begin(projectId: string, queue: ProjectQueue): void {
    this.#queues.set(projectId, queue);
    const work = outsideWork(() => this.#writeAll(projectId, queue)).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #writeAll(projectId: string, queue: ProjectQueue): Promise<void> {
    // The loop also visits ids that are added while it runs.
    for (const id of queue.ids) {
      const isBlocked = await this.#withWriter(() => this.#write(id));
      if (isBlocked) await this.#pause(queue.failures);
      if (this.#stop.signal.aborted) break;
    }
    this.#queues.delete(projectId);
  }

  /** Runs `work` with one of the writers; callers get writers in the order of their calls. */
  async #withWriter<T>(work: () => Promise<T>): Promise<T> {
    if (this.#freeWriters > 0) this.#freeWriters -= 1;
    else await new Promise<void>((resolve) => this.#waitingForWriter.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waitingForWriter.shift();
      if (next) next();
      else this.#freeWriters += 1;
    }
  }

  /**
   * Tries once. If the database is away, keeps its writer during a pause, so that few tries reach the database.
   * @returns whether the try failed on a lock or a conflict
   */
  async #write(id: string): Promise<boolean> {
    const { db, log } = this.#options;
    const end = this.#waiting.get(id);
    if (end === undefined || this.#stop.signal.aborted) return false;
    const { queue } = end;
    try {
      await this.#unlessStopped(endLiveSession(db, id, end));
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      if (isPermanent(error)) {
        this.#drop(id);
        log.error(
          { err: error, session: id },
          'the end of a live session cannot be written: it is billed up to its last heartbeat',
        );
        return false;
      }
      // Moves it to the back, unless it was dropped meanwhile.
      if (queue.ids.delete(id)) queue.ids.add(id);
      queue.failures += 1;
      const isBlocked = isLockTimeout(error) || isConflict(error);
      if (!isBlocked) this.#awayFailures += 1;
      if (!queue.isLogged && (isBlocked || this.#awayFailures === 1)) {
        queue.isLogged = true;
        log.warn(
          { err: error, session: id, waiting: this.#waiting.size },
          'the end of a live session could not be written yet and is tried again',
        );
      }
      if (!isBlocked) await this.#pause(Math.max(queue.failures, this.#awayFailures));
      return isBlocked;
    }
    this.#drop(id);
    if (queue.isLogged)
      log.info({ session: id, failures: queue.failures }, 'the end of a live session is written after all');
    queue.failures = 0;
    queue.isLogged = false;
    this.#awayFailures = 0;
    return false;
  }

  /** Backs off exponentially, with jitter so that processes do not retry in step. */
  async #pause(failures: number): Promise<void> {
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    try {
      await wait(ms * (0.5 + Math.random() / 2), undefined, { signal: this.#stop.signal });
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  /** Rejects when the server stops, so that a database without an answer does not hold it. */
  #unlessStopped(work: Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error('The server stops.'));
      signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }
}

const isPermanent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && PERMANENT.test(error.code);
