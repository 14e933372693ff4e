import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isConflict, isLockTimeout } from '../../platform/db/away.ts';
import type { Db } from '../../platform/db/database.ts';
import { CONNECTIONS } from '../../platform/db/postgres.ts';
import type { Log } from '../../platform/log.ts';
import { apart } from '../../platform/telemetry/work.ts';
import { endLiveSession, type LiveEnd } from '../../money/usage/record.ts';

/** Ends that can wait for the database at the same time; the oldest go first, and are billed up to their last heartbeat. */
const WAITING_MAX = 10_000;
/** Ends that are written at the same time, each by a connection of its own. */
const WRITERS_MAX = 4;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** How long a server that stops waits for its database. */
const CLOSING_MS = 10_000;
/** Refusals that another try would not change: bad data, broken constraints, a table that is not as it should be. */
const FINAL = /^(22|23|42)/;

export interface LiveEndsOptions {
  db: Db;
  log: Log;
  /** To the database; at most half of them write ends. */
  connections?: number;
  waitingMax?: number;
  closingMs?: number;
}

/** The ends of one project: one is written at a time, and what failed goes to the back. */
interface Line {
  ids: Set<string>;
  /** Tries that failed since the last that did not. */
  failures: number;
  /** Whether the log tells of them. */
  isTold: boolean;
}

interface Waiting extends LiveEnd {
  line: Line;
  /** Tells who waits for it. */
  settle: () => void;
}

/**
 * Writes down how live sessions ended. While the database is away the ends wait here, and are tried until they are
 * written: no second of a stream is lost to a restart of the database. Where others hold what an end needs, as the deletion of
 * its organization does, only those of its project wait. Should this process die first, the last heartbeat counts.
 */
export class LiveEnds {
  readonly #options: Required<LiveEndsOptions>;
  /** The oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  /** By project, while it has ends. */
  readonly #lines = new Map<string, Line>();
  readonly #work = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** Writers that are free. */
  #writers: number;
  /** Lines that wait for a writer. */
  readonly #turns: (() => void)[] = [];
  /** Tries to which the database was away, since the last that succeeded. */
  #away = 0;

  constructor(options: LiveEndsOptions) {
    this.#options = { connections: CONNECTIONS, waitingMax: WAITING_MAX, closingMs: CLOSING_MS, ...options };
    // Each line that pauses listens.
    setMaxListeners(0, this.#stop.signal);
    this.#writers = Math.max(1, Math.min(WRITERS_MAX, Math.floor(this.#options.connections / 2)));
  }

  /** What is not written yet, by session. */
  get waiting(): ReadonlyMap<string, LiveEnd> {
    return this.#waiting;
  }

  /** Resolves when this end is written, or given up; never rejects. */
  add(id: string, end: LiveEnd, projectId: string): Promise<void> {
    const { log, waitingMax } = this.#options;
    const known = this.#lines.get(projectId);
    const line = known ?? { ids: new Set(), failures: 0, isTold: false };
    line.ids.add(id);
    const settled = new Promise<void>((settle) => this.#waiting.set(id, { ...end, line, settle }));
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= waitingMax) break;
      this.#drop(oldest);
      log.error(
        { session: oldest },
        'too many ended live sessions wait for the database: this one is billed up to its last heartbeat',
      );
    }
    if (known === undefined) this.#begin(projectId, line);
    return settled;
  }

  #drop(id: string): void {
    const end = this.#waiting.get(id);
    this.#waiting.delete(id);
    end?.line.ids.delete(id);
    end?.settle();
  }

  /** Resolves when all is written, or when the database has been waited for long enough. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), this.#options.closingMs);
    while (this.#work.size > 0) await Promise.all(this.#work);
    clearTimeout(timer);
    if (this.#waiting.size > 0)
      this.#options.log.error(
        { sessions: this.#waiting.size },
        'the database is away: the last live sessions are billed up to their last heartbeat',
      );
  }

  #begin(projectId: string, line: Line): void {
    this.#lines.set(projectId, line);
    const work = apart(() => this.#writeAll(projectId, line)).finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  async #writeAll(projectId: string, line: Line): Promise<void> {
    // What comes meanwhile, or goes to the back, has its turn, too.
    for (const id of line.ids) {
      const isHeld = await this.#inTurn(() => this.#write(id));
      if (isHeld) await this.#pause(line.failures);
      if (this.#stop.signal.aborted) break;
    }
    this.#lines.delete(projectId);
  }

  /** Does it as one of so many, in the order in which they ask. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#writers > 0) this.#writers -= 1;
    else await new Promise<void>((resolve) => this.#turns.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#turns.shift();
      if (next) next();
      else this.#writers += 1;
    }
  }

  /** One try. While the database is away it keeps its turn for a while, so that few ask. @returns whether others hold what it needs */
  async #write(id: string): Promise<boolean> {
    const { db, log } = this.#options;
    const end = this.#waiting.get(id);
    if (end === undefined || this.#stop.signal.aborted) return false;
    const { line } = end;
    try {
      await this.#unlessStopped(endLiveSession(db, id, end));
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      if (isFinal(error)) {
        this.#drop(id);
        log.error(
          { err: error, session: id },
          'the end of a live session cannot be written: it is billed up to its last heartbeat',
        );
        return false;
      }
      // It may have been dropped meanwhile.
      if (line.ids.delete(id)) line.ids.add(id);
      line.failures += 1;
      const isHeld = isLockTimeout(error) || isConflict(error);
      if (!isHeld) this.#away += 1;
      if (!line.isTold && (isHeld || this.#away === 1)) {
        line.isTold = true;
        log.warn(
          { err: error, session: id, waiting: this.#waiting.size },
          'the end of a live session could not be written yet and is tried again',
        );
      }
      if (!isHeld) await this.#pause(Math.max(line.failures, this.#away));
      return isHeld;
    }
    this.#drop(id);
    if (line.isTold)
      log.info({ session: id, failures: line.failures }, 'the end of a live session is written after all');
    line.failures = 0;
    line.isTold = false;
    this.#away = 0;
    return false;
  }

  /** Longer with each try that failed; somewhat less than that, so that many processes do not come back as one. */
  async #pause(failures: number): Promise<void> {
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    try {
      await wait(ms * (0.5 + Math.random() / 2), undefined, { signal: this.#stop.signal });
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  /** A database that does not even refuse must not hold the end of the server. */
  #unlessStopped(work: Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error('The server stops.'));
      signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && FINAL.test(error.code);
