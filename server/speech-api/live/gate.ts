import { randomUUID } from 'node:crypto';
import { ACCESS_ENDED_CHANNEL } from '../../tenancy/access/ended.ts';
import { countWrongKey } from '../../tenancy/api-keys/attempts.ts';
import { findApiKey } from '../../tenancy/api-keys/keys.ts';
import type { Services } from '../../platform/context.ts';
import { Grace } from '../../platform/grace.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Caller } from '../../http/env.ts';
import { ApiProblem } from '../../http/errors.ts';
import { mayUsePlayground } from '../../tenancy/projects/queries.ts';
import { findKey, TEMPORARY_KEY_PREFIX, useKey, type KnownKey } from '../temporary-keys/keys.ts';
import { admit, type Admission as Admitted } from '../../money/limits/admission.ts';
import type { LimitDefaults } from '../../money/limits/defaults.ts';
import { changeReservation, type Length } from '../../money/limits/grow.ts';
import { tellingRefusals } from '../../money/limits/refused.ts';
import { LEAST_MS, type FirstWish } from '../../money/limits/reservations.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { within } from '../../platform/in-time.ts';
import type { StreamUsage } from '../../money/usage/meter.ts';
import { notePeak, PeakHours } from '../../money/usage/peaks.ts';
import { promisedPrices } from '../../money/usage/price-lists.ts';
import { liveCostUsd } from '../../money/usage/prices.ts';
import { abortLiveSessions, renewLiveSessions, type LiveEnd } from '../../money/usage/record.ts';
import { incorrectKey } from '../incorrect-key.ts';
import { oneKey, type ConnectionKeys } from './connection-keys.ts';
import { LiveEnds } from './ends.ts';
import { Extension, RESERVED_MS } from './extension.ts';
import { asRefusal, refusal, type LiveRefusal } from './refusal.ts';
import type { Admission, Gate, SessionSummary } from './ports.ts';
import type { StartRequest } from './start-request.ts';

/** One connection that wants to be admitted. */
export interface Visitor {
  keys: ConnectionKeys;
  address: string;
  requestId: string;
  /** What its stream has used so far. */
  meter: { readonly usage: StreamUsage };
  /** Audio that the engine heard so far, milliseconds. */
  heardMs(): number;
  /** Ends its session before its time. Does no harm to one that is over. */
  withdraw(reason: LiveRefusal): void;
}

/** On whose behalf a stream runs. */
interface Holder {
  caller: Caller;
  /** The temporary key that it came with, if it was one. */
  temporary: KnownKey | null;
}

/** A stream that is asked for. */
type Asked = { holder: Holder; visitor: Visitor; request: StartRequest; open: () => void };

/** How long a process may be silent before its sessions count as ended. */
const LEASE_MS = 30_000;
/** Also what is lost at most of a stream whose process is killed. */
const RENEWAL_MS = 5000;
/** How long a client waits to hear of its end until its place is free; without a database that takes longer. */
const FREED_MS = 1000;

type Parts = Pick<Services, 'db' | 'database' | 'clock' | 'log' | 'config' | 'publicUrl'> & {
  limitDefaults: LimitDefaults;
};

/**
 * Admits live sessions: knows the keys, counts the streams of each project and organization over every process, and
 * keeps one row per session for its usage. The streams of a revoked key, of a deleted project and of who may no longer use the
 * project from the console end when the database tells of it, at the latest with the next renewal of the lease. A key that
 * expires only opens no more streams.
 */
export class GateKeeper {
  readonly #parts: Parts;
  readonly #worker = randomUUID();
  readonly #running = new Map<string, { holder: Holder; visitor: Visitor }>();
  readonly #writes = new Set<Promise<void>>();
  readonly #ends: LiveEnds;
  readonly #renewal: NodeJS.Timeout;
  readonly #peakHours: PeakHours;
  readonly #grace = new Grace(LEASE_MS);
  #isRenewing = false;
  readonly #unlisten: Promise<() => void>;

  /** @param renewalMs between two heartbeats */
  constructor(parts: Parts, renewalMs = RENEWAL_MS) {
    this.#parts = parts;
    this.#peakHours = new PeakHours(parts.clock());
    const connections = parts.database.kind === 'embedded' ? 1 : parts.config.connections;
    this.#ends = new LiveEnds({ db: parts.db, log: parts.log, connections });
    this.#renewal = setInterval(() => this.#beat(), renewalMs);
    this.#renewal.unref();
    this.#unlisten = parts.database
      .listen(ACCESS_ENDED_CHANNEL, () => this.#background(this.#withdrawForbidden()))
      .catch((error: unknown) => {
        parts.log.error({ err: error }, 'access that ends is noticed with the next renewal only');
        return () => {};
      });
  }

  /** The gate of one connection. */
  gateFor(visitor: Visitor): Gate {
    return {
      authenticate: async (config) => {
        const holder = await this.#check(oneKey(visitor.keys, config), visitor.address);
        const told = (work: () => Promise<Admission>) => tellingRefusals(this.#parts, holder.caller.projectId, work);
        return {
          admit: (request, open) => asRefusal(() => told(() => this.#admit({ holder, visitor, request, open }))),
        };
      },
    };
  }

  /** Tells that this process lives and what its streams have used, and ends the sessions of those that do not, and those that may no longer run. */
  async renew(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      this.#grace.failed();
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const { db, clock } = this.#parts;
    const now = await databaseNow(db, clock);
    const running = [...this.#running].map(
      ([id, { visitor }]) => [id, { ...visitor.meter.usage, audioMs: visitor.heardMs() }] as const,
    );
    // What ended and waits for the database is this process's still: nobody may take it for dead.
    await renewLiveSessions(db, new Map([...running, ...this.#ends.waiting]), leaseFrom(now));
    if (this.#grace.isOver(now)) await abortLiveSessions(db, now);
    await this.#peakHours.reach(
      db,
      now,
      [...this.#running.values()].map(({ holder }) => holder.caller.projectId),
    );
    await this.#withdrawForbidden();
  }

  /** Resolves when everything about ended sessions is written. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    (await this.#unlisten)();
    await this.#ends.close();
    await Promise.all(this.#writes);
  }

  async #check(key: string, address: string): Promise<Holder> {
    const { db, clock } = this.#parts;
    const isTemporary = key.startsWith(TEMPORARY_KEY_PREFIX);
    if (isTemporary) {
      const temporary = await findKey(db, key, clock());
      if (temporary) return { caller: temporary.maker, temporary };
    } else {
      const known = await findApiKey(db, key, clock());
      if (known)
        return {
          caller: { projectId: known.projectId, origin: 'public_api', apiKeyId: known.id, userId: null },
          temporary: null,
        };
    }
    try {
      await countWrongKey(this.#parts, address);
    } catch (error) {
      throw error instanceof ApiProblem ? refusal.tooManyWrongKeys(error.message) : error;
    }
    throw isTemporary ? refusal.invalidTemporaryKey() : refusal.invalidKey(incorrectKey(this.#parts));
  }

  async #admit({ holder, visitor, request, open }: Asked): Promise<Admission> {
    const { db } = this.#parts;
    const { caller, temporary } = holder;
    const id = randomUUID();
    const { prices, reservedMs, startedAt } = await db.transaction().execute(async (trx) => {
      const model = request.asked;
      const wish = { kind: 'real_time', model, leastMs: LEAST_MS, mostMs: RESERVED_MS } as const;
      const { now, reserved, perHour } = await this.#admitted(trx, caller.projectId, wish);
      if (temporary && !(await useKey(trx, temporary, now))) throw refusal.invalidTemporaryKey();
      await trx
        .insertInto('live_sessions')
        .values({
          id,
          project_id: caller.projectId,
          model,
          status: 'running',
          // Who makes a temporary key says whose streams these are, not who uses it.
          client_reference_id: temporary ? temporary.clientReferenceId : request.clientReferenceId,
          worker: this.#worker,
          lease_until: leaseFrom(now),
          started_at: now,
          audio_ms: 0,
          error_code: null,
          error_type: null,
          request_id: visitor.requestId,
          origin: caller.origin,
          api_key_id: caller.apiKeyId,
          user_id: caller.userId,
          reserved_ms: reserved.ms,
          reserved_micros: reserved.micros,
          micros_per_hour: perHour,
        })
        .execute();
      await notePeak(trx, caller.projectId, now);
      const prices = await promisedPrices(trx, { model, micros_per_hour: perHour }, now);
      open();
      return { prices, reservedMs: reserved.ms, startedAt: now };
    });
    this.#running.set(id, { holder, visitor });
    const reserve = (length: Length) => changeReservation(this.#parts, { table: 'live_sessions', id }, length);
    const extension = new Extension({ reserve, log: this.#parts.log }, { session: id, reservedMs });
    return {
      maxDurationMs: temporary?.maxSessionMs ?? null,
      reservedMs,
      extend: (ms) => extension.extend(ms),
      isKeepable: caller.origin === 'playground',
      // Programs find it in their usage logs; their frames are the public protocol's.
      costOf: (audioMs) => (caller.origin === 'playground' ? liveCostUsd(prices, request.asked, audioMs) : null),
      release: (summary) => this.#release({ id, startedAt, projectId: caller.projectId }, summary, visitor.meter.usage),
    };
  }

  /** @throws LimitReached, BalanceExhausted, LiveRefusal 401 */
  async #admitted(trx: Db, projectId: string, wish: FirstWish): Promise<Admitted> {
    const admission = await admit(trx, this.#parts, projectId, 'live_session', wish);
    if (admission === undefined) throw refusal.projectDeleted();
    return admission;
  }

  async #release(
    { id, startedAt, projectId }: { id: string; startedAt: Date; projectId: string },
    { status, audioMs, refusal: reason }: SessionSummary,
    usage: StreamUsage,
  ): Promise<void> {
    this.#running.delete(id);
    const now = this.#parts.clock();
    const end: LiveEnd = {
      ...usage,
      status,
      audioMs,
      errorCode: reason?.code ?? null,
      errorType: reason?.type ?? null,
      // This clock may be behind the database's.
      at: now < startedAt ? startedAt : now,
    };
    await within(FREED_MS, this.#ends.add(id, end, projectId));
  }

  /** Ends the streams that may no longer run, and those whose place is gone. */
  async #withdrawForbidden(): Promise<void> {
    // Taken before the query: what is admitted during it must not be missed in its answer.
    const held = [...this.#running];
    if (held.length === 0) return;
    const { db } = this.#parts;
    const rows = await db
      .selectFrom('live_sessions')
      .leftJoin('projects', 'projects.id', 'live_sessions.project_id')
      .leftJoin('api_keys', 'api_keys.id', 'live_sessions.api_key_id')
      .select(['live_sessions.id', 'projects.id as project', 'api_keys.revoked_at'])
      .where(
        'live_sessions.id',
        'in',
        held.map(([id]) => id),
      )
      .where('live_sessions.status', '=', 'running')
      .execute();
    const places = new Map(rows.map((row) => [row.id, row]));
    for (const [
      id,
      {
        holder: {
          caller: { projectId, userId },
          temporary,
        },
        visitor,
      },
    ] of held) {
      const place = places.get(id);
      if (place?.project === null || (place === undefined && (await this.#isDeleted(projectId))))
        visitor.withdraw(refusal.projectDeleted());
      else if (place === undefined) visitor.withdraw(refusal.cannotContinue(4));
      else if (place.revoked_at !== null || (userId !== null && !(await mayUsePlayground(db, userId, projectId)))) {
        // The project may have gone since the rows were read.
        if (await this.#isDeleted(projectId)) visitor.withdraw(refusal.projectDeleted());
        else
          visitor.withdraw(temporary ? refusal.invalidTemporaryKey() : refusal.invalidKey(incorrectKey(this.#parts)));
      }
    }
  }

  /** Otherwise a session without its place was taken for dead by another process. */
  async #isDeleted(projectId: string): Promise<boolean> {
    return (
      (await this.#parts.db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()) ===
      undefined
    );
  }

  /** One heartbeat at a time: a database that hangs must not make a crowd of them. */
  #beat(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    this.#background(
      this.renew().finally(() => {
        this.#isRenewing = false;
      }),
    );
  }

  #background(work: Promise<void>): void {
    const write = work
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'looking after live sessions failed'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
