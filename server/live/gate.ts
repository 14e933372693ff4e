import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LiveConfig } from '#contract/live.ts';
import type { Services } from '../context.ts';
import type { Db } from '../db/open.ts';
import { findKey, TEMPORARY_KEY_PREFIX, useKey, type KnownKey } from '../temporary-keys/keys.ts';
import { refusal } from './refusal.ts';
import type { Admission, Gate, SessionSummary } from './session.ts';
import type { StartRequest } from './start-request.ts';

/** The keys that came with the handshake. */
export interface ConnectionKeys {
  /** `Authorization: Bearer KEY` */
  header: string | undefined;
  /** The subprotocol after `soniox-api-key`. */
  subprotocol: string | undefined;
}

/** How long a process may be silent before its sessions count as ended. */
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;

type Parts = Pick<Services, 'db' | 'clock' | 'log'>;

/**
 * Admits live sessions: knows the keys, counts the streams of each project over every process, and keeps one row per
 * session for its usage.
 */
export class GateKeeper {
  readonly #parts: Parts;
  readonly #concurrentStreams: number;
  readonly #worker = randomUUID();
  readonly #writes = new Set<Promise<void>>();
  readonly #renewal: NodeJS.Timeout;

  constructor(parts: Parts, concurrentStreams: number) {
    this.#parts = parts;
    this.#concurrentStreams = concurrentStreams;
    this.#renewal = setInterval(() => this.#background(this.renew()), RENEWAL_MS);
    this.#renewal.unref();
  }

  /** The gate of one connection. */
  gateFor(keys: ConnectionKeys): Gate {
    return {
      authenticate: async (config) => {
        const key = await this.#check(oneKey(keys, config));
        return { admit: (request) => this.#admit(key, request) };
      },
    };
  }

  /** Tells that this process lives, and ends the sessions of those that do not. */
  async renew(): Promise<void> {
    const { db, clock } = this.#parts;
    const now = clock();
    await db.updateTable('live_sessions').set({ lease_until: leaseFrom(now) }).where('worker', '=', this.#worker).where('status', '=', 'running').execute();
    await db.updateTable('live_sessions').set((eb) => ({ status: 'aborted', ended_at: eb.ref('lease_until') })).where('status', '=', 'running').where('lease_until', '<', now).execute();
  }

  /** Resolves when everything about ended sessions is written. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.all(this.#writes);
  }

  async #check(key: string): Promise<KnownKey> {
    if (!key.startsWith(TEMPORARY_KEY_PREFIX)) throw refusal.invalidKey();
    const known = await findKey(this.#parts.db, key, this.#parts.clock());
    if (!known) throw refusal.invalidTemporaryKey();
    return known;
  }

  async #admit(key: KnownKey, request: StartRequest): Promise<Admission> {
    const { db, clock } = this.#parts;
    const id = randomUUID();
    const now = clock();
    await db.transaction().execute(async (trx) => {
      // One admission per project at a time, so that two cannot take the last place.
      await sql`select pg_advisory_xact_lock(hashtextextended(${key.projectId}, 1))`.execute(trx);
      const { running } = await trx
        .selectFrom('live_sessions')
        .select((eb) => eb.fn.countAll().as('running'))
        .where('project_id', '=', key.projectId)
        .where('status', '=', 'running')
        .where('lease_until', '>', now)
        .executeTakeFirstOrThrow();
      if (Number(running) >= this.#concurrentStreams) throw refusal.tooManyStreams();
      if (!(await useKey(trx, key, now))) throw refusal.invalidTemporaryKey();
      await trx
        .insertInto('live_sessions')
        .values({
          id,
          project_id: key.projectId,
          model: request.model.id,
          status: 'running',
          // The key's own reference wins over the one in the start request.
          client_reference_id: key.clientReferenceId ?? request.clientReferenceId,
          worker: this.#worker,
          lease_until: leaseFrom(now),
          started_at: now,
          audio_ms: 0,
          error_code: null,
          error_type: null,
        })
        .execute();
    });
    return { maxDurationMs: key.maxSessionMs, release: (summary) => this.#background(this.#finish(id, summary)) };
  }

  async #finish(id: string, { status, audioMs, refusal: reason }: SessionSummary): Promise<void> {
    const { db, clock } = this.#parts;
    await db
      .updateTable('live_sessions')
      .set({ status, audio_ms: audioMs, ended_at: clock(), error_code: reason?.code ?? null, error_type: reason?.type ?? null })
      .where('id', '=', id)
      .execute();
  }

  #background(work: Promise<void>): void {
    const write = work
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'writing down a live session failed'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }
}

/** Ends the sessions that a process that died has left running. Only where no other process can hold sockets. */
export async function endLeftOverSessions(db: Db): Promise<void> {
  await db.updateTable('live_sessions').set((eb) => ({ status: 'aborted', ended_at: eb.ref('lease_until') })).where('status', '=', 'running').execute();
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

/** The one key of the three places it can stand in. @throws LiveRefusal */
function oneKey({ header, subprotocol }: ConnectionKeys, config: LiveConfig): string {
  if (header !== undefined && subprotocol !== undefined) throw refusal.invalid('The API key must be given in one way only.');
  const connection = header ?? subprotocol;
  const first = config.api_key ?? undefined;
  if (connection !== undefined && first !== undefined && connection !== first) throw refusal.invalid('The API key must be given in one way only.');
  const key = connection ?? first;
  if (!key) throw refusal.missingKey();
  return key;
}
