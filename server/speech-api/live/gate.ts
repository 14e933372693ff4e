import { randomUUID } from 'node:crypto';
import type { LiveConfig } from '#contract/live.ts';
import type { LogRequest } from '#contract/logs.ts';
import { ACCESS_ENDED_CHANNEL } from '../../tenancy/access/ended.ts';
import { countWrongKey } from '../../tenancy/api-keys/attempts.ts';
import { findApiKey } from '../../tenancy/api-keys/keys.ts';
import type { Services } from '../../platform/context.ts';
import type { Caller } from '../../platform/callers.ts';
import { Grace } from '../../platform/grace.ts';
import type { Db } from '../../platform/db/database.ts';
import { findKey, TEMPORARY_KEY_PREFIX, useKey } from '../temporary-keys/keys.ts';
import { admit, type Admission as Admitted } from '../../money/limits/admission.ts';
import type { LimitDefaults } from '../../money/limits/defaults.ts';
import { raiseReservation, type LengthBounds } from '../../money/limits/grow.ts';
import { keptAsked } from '../../money/logs/asked.ts';
import { followingUpRefusals } from '../../money/limits/refused.ts';
import { LEAST_RESERVED_MS, type FirstWish } from '../../money/limits/reservations.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { within } from '../../platform/in-time.ts';
import type { StreamUsage } from '../../money/usage/meter.ts';
import { notePeak, PeakHours } from '../../money/usage/peaks.ts';
import { promisedPrices } from '../../money/usage/price-lists.ts';
import { liveCostUsd } from '../../money/usage/prices.ts';
import { abortLiveSessions, renewLiveSessions, type LiveEnd } from '../../money/usage/record.ts';
import { incorrectKey } from '../key-messages.ts';
import { endWithoutAccess, type Holder } from './access.ts';
import { apiKeyOf, type ConnectionKeys } from './connection-keys.ts';
import { LiveEnds } from './ends.ts';
import { ReservationExtender, RESERVED_MS } from './extension.ts';
import { refusal, type LiveRefusal } from './refusal.ts';
import type { Admission, Gate, SessionSummary } from './ports.ts';
import type { StartRequest } from './start-request.ts';

/** A connection that asks to be admitted, and its session. */
export interface Applicant {
  keys: ConnectionKeys;
  address: string;
  requestId: string;
  /** Use of its stream so far. */
  meter: { readonly usage: StreamUsage };
  /** Audio that has reached the engine, milliseconds. */
  heardMs(): number;
  /** What it asked for. */
  asked(): LogRequest | null;
  /** Ends its session with this refusal. Does nothing if the session is over. */
  withdraw(reason: LiveRefusal): void;
}

/** Tells who has been refused. */
export interface WatchedGate {
  /**
   * The caller of a session that is over; undefined if its key is not known, or if it had a place, so that its usage
   * tells of it. Call it once, if the session was refused. Never rejects.
   * @param apiKey the key of the start request
   */
  refusedCaller(apiKey: string | null): Promise<Caller | undefined>;
}

type StreamRequest = { holder: Holder; applicant: Applicant; request: StartRequest; open: () => void };

/** Lease of a session, renewed by each heartbeat. When it expires, another process ends the session. */
const LEASE_MS = 30_000;
/** Time between heartbeats: also the most audio that is not billed if the process is killed. */
const RENEWAL_MS = 5000;
/** Longest time that the client's last frame waits for the database to free the session's place. */
const FREED_MS = 1000;

type Parts = Pick<Services, 'db' | 'database' | 'clock' | 'log' | 'config' | 'publicUrl'> & {
  limitDefaults: LimitDefaults;
};

/**
 * Admits live sessions: checks keys, counts the streams of each project and organization across processes, and keeps
 * one row per session for its usage. Ends the streams of a revoked key, of a deleted project, and of a person who lost
 * the playground: when the database announces it, at the latest with the next heartbeat. An expired key opens no more
 * streams, but its running ones go on.
 */
export class GateKeeper {
  readonly #parts: Parts;
  readonly #worker = randomUUID();
  readonly #running = new Map<string, { holder: Holder; applicant: Applicant }>();
  readonly #writes = new Set<Promise<void>>();
  readonly #ends: LiveEnds;
  readonly #renewal: NodeJS.Timeout;
  readonly #peakHours: PeakHours;
  readonly #grace = new Grace(LEASE_MS);
  #isRenewing = false;
  readonly #unlisten: Promise<() => void>;

  /** @param renewalMs time between heartbeats */
  constructor(parts: Parts, renewalMs = RENEWAL_MS) {
    this.#parts = parts;
    this.#peakHours = new PeakHours(parts.clock());
    const connections = parts.database.kind === 'embedded' ? 1 : parts.config.connections;
    this.#ends = new LiveEnds({ db: parts.db, log: parts.log, connections });
    this.#renewal = setInterval(() => this.#beat(), renewalMs);
    this.#renewal.unref();
    this.#unlisten = parts.database
      .listen(ACCESS_ENDED_CHANNEL, () => this.#background(endWithoutAccess(parts, this.#running)))
      .catch((error: unknown) => {
        parts.log.error({ err: error }, 'sessions whose access ends are ended with the next heartbeat only');
        return () => {};
      });
  }

  /** The gate of one connection. */
  gateFor(applicant: Applicant): Gate & WatchedGate {
    let checked: Promise<Holder> | undefined;
    let admitted: Promise<Admission> | undefined;
    const check = async (config: LiveConfig): Promise<Holder> =>
      this.#check(apiKeyOf(applicant.keys, config), applicant.address);
    return {
      authenticate: async (config) => {
        checked = check(config);
        const holder = await checked;
        const { projectId } = holder.caller;
        return {
          admit: (request, open) =>
            (admitted = followingUpRefusals(this.#parts, projectId, () =>
              this.#admit({ holder, applicant, request, open }),
            )),
        };
      },
      refusedCaller: async (apiKey) => {
        try {
          const { caller } = await (checked ?? check({ api_key: apiKey }));
          // The session that has its caller goes on to ask for a place, even if it is over.
          await new Promise(setImmediate);
          const hasRow = await admitted?.then(
            () => true,
            () => false,
          );
          return hasRow ? undefined : caller;
        } catch {
          return undefined;
        }
      },
    };
  }

  /**
   * One heartbeat: renews the leases of this process's sessions and writes their use, ends sessions of dead processes,
   * and ends own sessions that have lost their access.
   */
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
      ([id, { applicant }]) => [id, { ...applicant.meter.usage, audioMs: applicant.heardMs() }] as const,
    );
    // Ends that are not written yet also need their lease, or another process would end their sessions.
    await renewLiveSessions(db, new Map([...running, ...this.#ends.waiting]), leaseFrom(now));
    if (this.#grace.isOver(now)) await abortLiveSessions(db, now);
    await this.#peakHours.reach(
      db,
      now,
      [...this.#running.values()].map(({ holder }) => holder.caller.projectId),
    );
    await endWithoutAccess(this.#parts, this.#running);
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
    await countWrongKey(this.#parts, address);
    throw isTemporary ? refusal.invalidTemporaryKey() : refusal.invalidKey(incorrectKey(this.#parts));
  }

  async #admit({ holder, applicant, request, open }: StreamRequest): Promise<Admission> {
    const { db } = this.#parts;
    const { caller, temporary } = holder;
    const id = randomUUID();
    const { prices, reservedMs, startedAt } = await db.transaction().execute(async (trx) => {
      const model = request.requestedModel;
      const wish = { kind: 'real_time', model, leastMs: LEAST_RESERVED_MS, mostMs: RESERVED_MS } as const;
      const { now, reserved, perHour } = await this.#admitInLimits(trx, caller.projectId, wish);
      if (temporary && !(await useKey(trx, temporary, now))) throw refusal.invalidTemporaryKey();
      await trx
        .insertInto('live_sessions')
        .values({
          id,
          project_id: caller.projectId,
          model,
          status: 'running',
          // The maker of a temporary key sets the reference, not the client that uses the key.
          client_reference_id: temporary ? temporary.clientReferenceId : request.clientReferenceId,
          worker: this.#worker,
          lease_until: leaseFrom(now),
          started_at: now,
          audio_ms: 0,
          error_code: null,
          error_type: null,
          request_id: applicant.requestId,
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
    this.#running.set(id, { holder, applicant });
    const reserve = (bounds: LengthBounds) => raiseReservation(this.#parts, { table: 'live_sessions', id }, bounds);
    const extender = new ReservationExtender({ reserve, log: this.#parts.log }, { session: id, reservedMs });
    return {
      maxDurationMs: temporary?.maxSessionMs ?? null,
      reservedMs,
      extend: (ms) => extender.extend(ms),
      isKeepable: caller.origin === 'playground',
      // The public protocol has no cost, so only the playground gets it; programs find it in their usage logs.
      costOf: (audioMs) =>
        caller.origin === 'playground' ? liveCostUsd(prices, request.requestedModel, audioMs) : null,
      release: (summary) => this.#release({ id, startedAt, projectId: caller.projectId }, summary, applicant),
    };
  }

  /** @throws LimitReached, BalanceExhausted, LiveRefusal 401 */
  async #admitInLimits(trx: Db, projectId: string, wish: FirstWish): Promise<Admitted> {
    const admission = await admit(trx, this.#parts, projectId, 'live_session', wish);
    if (admission === undefined) throw refusal.projectDeleted();
    return admission;
  }

  async #release(
    { id, startedAt, projectId }: { id: string; startedAt: Date; projectId: string },
    { status, audioMs, refusal: reason }: SessionSummary,
    applicant: Applicant,
  ): Promise<void> {
    this.#running.delete(id);
    const now = this.#parts.clock();
    const end: LiveEnd = {
      ...applicant.meter.usage,
      status,
      audioMs,
      errorCode: reason?.code ?? null,
      errorType: reason?.type ?? null,
      errorMessage: reason?.message ?? null,
      settings: reason && keptAsked(applicant.asked()),
      // The start is from the database's clock, which may be ahead of this one.
      at: now < startedAt ? startedAt : now,
    };
    await within(FREED_MS, this.#ends.add(id, end, projectId));
  }

  /** Starts a heartbeat unless one is running, so that they do not pile up while the database hangs. */
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
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'a heartbeat of live sessions failed'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
