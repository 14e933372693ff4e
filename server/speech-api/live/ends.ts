import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import { apart } from '../../platform/telemetry/work.ts';
import { endLiveSession, type LiveEnd } from '../../money/usage/record.ts';

/** Ends that can wait for the database at the same time; the oldest go first, and are billed up to their last heartbeat. */
const WAITING_MAX = 10_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** How long a server that stops waits for its database. */
const CLOSING_MS = 10_000;
/** Refusals that another try would not change: bad data, broken constraints, a table that is not as it should be. */
const FINAL = /^(22|23|42)/;

export interface LiveEndsOptions {
  db: Db;
  log: Log;
  waitingMax?: number;
  closingMs?: number;
}

/**
 * Writes down how live sessions ended. While the database is away the ends wait here, and are tried until they are
 * written: no second of a stream is lost to a restart of the database. Should this process die first, the last heartbeat counts.
 */
export class LiveEnds {
  readonly #options: Required<LiveEndsOptions>;
  readonly #waiting = new Map<string, LiveEnd>();
  /** Who waits for an end, by session. */
  readonly #settle = new Map<string, () => void>();
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(options: LiveEndsOptions) {
    this.#options = { waitingMax: WAITING_MAX, closingMs: CLOSING_MS, ...options };
  }

  /** What is not written yet, by session. */
  get waiting(): ReadonlyMap<string, LiveEnd> {
    return this.#waiting;
  }

  /** Resolves when this end is written, or given up; never rejects. */
  add(id: string, end: LiveEnd): Promise<void> {
    const { log, waitingMax } = this.#options;
    this.#waiting.set(id, end);
    const settled = new Promise<void>((resolve) => this.#settle.set(id, resolve));
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= waitingMax) break;
      this.#drop(oldest);
      log.error(
        { session: oldest },
        'too many ended live sessions wait for the database: this one is billed up to its last heartbeat',
      );
    }
    this.#writing ??= apart(() => this.#write()).finally(() => {
      this.#writing = undefined;
    });
    return settled;
  }

  #drop(id: string): void {
    this.#waiting.delete(id);
    this.#settle.get(id)?.();
    this.#settle.delete(id);
  }

  /** Resolves when all is written, or when the database has been waited for long enough. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), this.#options.closingMs);
    await this.#writing;
    clearTimeout(timer);
    if (this.#waiting.size > 0)
      this.#options.log.error(
        { sessions: this.#waiting.size },
        'the database is away: the last live sessions are billed up to their last heartbeat',
      );
  }

  async #write(): Promise<void> {
    const { db, log } = this.#options;
    let failures = 0;
    for (
      let next = first(this.#waiting);
      next !== undefined && !this.#stop.signal.aborted;
      next = first(this.#waiting)
    ) {
      const [id, end] = next;
      try {
        await this.#unlessStopped(endLiveSession(db, id, end));
        this.#drop(id);
        if (failures > 0) log.info({ session: id, failures }, 'the end of a live session is written after all');
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        failures += 1;
        if (isFinal(error)) {
          this.#drop(id);
          log.error(
            { err: error, session: id },
            'the end of a live session cannot be written: it is billed up to its last heartbeat',
          );
        } else {
          if (failures === 1)
            log.warn(
              { err: error, waiting: this.#waiting.size },
              'the end of a live session could not be written yet and is tried again',
            );
          await this.#pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)));
        }
      }
    }
  }

  /** Somewhat less than the time given, so that many processes do not come back as one. */
  async #pause(ms: number): Promise<void> {
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

const first = <K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined => {
  for (const entry of map) return entry;
  return undefined;
};

const isFinal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && FINAL.test(error.code);
