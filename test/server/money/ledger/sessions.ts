/** Live sessions of an organization, as the processes know them that hold them, and as one that looks for dead ones finds them. */
import { randomUUID } from 'node:crypto';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { admit } from '#server/money/limits/admission.ts';
import { raiseReservation } from '#server/money/limits/grow.ts';
import { LEAST_RESERVED_MS } from '#server/money/limits/reservations.ts';
import { endLiveSession, renewLiveSessions } from '#server/money/usage/record.ts';
import type { Services } from '#server/platform/context.ts';
import { databaseNow } from '#server/platform/db/now.ts';
import type { Db } from '#server/platform/db/database.ts';
import { RESERVED_MS } from '#server/speech-api/live/extension.ts';
import { ended } from '../../usage.ts';
import { LIVE_END } from '../usage/live-session.ts';
import { whereThereIsRoom, type Request } from './requests.ts';
import { MODEL, type Starts } from './starts.ts';
import { pick, type OwnStep } from './steps.ts';

const LEASE_MS = 30_000;

interface Session {
  request: Request;
  phase: 'runs' | 'dead' | 'over';
  /** Sound that was heard, as its process knows, and that it may hear; milliseconds. */
  heardMs: number;
  reservedMs: number;
  /** What its last heartbeat may have told of that. */
  told: number[];
  /** What it has told for certain, unless the session was taken for dead at the same time. */
  sureMs: number | undefined;
}

type Heard = Pick<OwnStep & { do: 'hear' }, 'which' | 'ms'>;

export class Sessions {
  readonly #services: Pick<Services, 'db' | 'clock' | 'log'>;
  readonly #projects: readonly string[];
  readonly #starts: Starts;
  readonly #all: Session[] = [];
  /** Those that their process is at. */
  readonly #busy = new Set<Session>();

  constructor(services: Pick<Services, 'db' | 'clock' | 'log'>, projects: readonly string[], starts: Starts) {
    this.#services = services;
    this.#projects = projects;
    this.#starts = starts;
  }

  get requests(): Request[] {
    return this.#all.map(({ request }) => request);
  }

  /** Begins one where there is room for it. */
  async begin(project: 0 | 1): Promise<void> {
    const { db, clock } = this.#services;
    const [id, project_id] = [randomUUID(), this.#projects[project] ?? ''];
    const promise = this.#starts.promise(id);
    await whereThereIsRoom(async () => {
      const reserved = await db.transaction().execute(async (trx) => {
        const wish = { kind: 'real_time', model: MODEL, leastMs: LEAST_RESERVED_MS, mostMs: RESERVED_MS } as const;
        const admission = await admit(trx, { clock, limitDefaults: LIMIT_DEFAULTS }, project_id, 'live_session', wish);
        if (admission === undefined) return undefined;
        const { now, reserved, perHour } = admission;
        await promise(trx, now);
        await trx
          .insertInto('live_sessions')
          .values({
            ...{ id, project_id, model: MODEL, status: 'running', worker: 'w', request_id: id, audio_ms: 0 },
            ...{ started_at: now, lease_until: leaseFrom(now) },
            ...{ reserved_ms: reserved.ms, reserved_micros: reserved.micros, micros_per_hour: perHour },
          })
          .execute();
        return reserved;
      });
      if (reserved === undefined) return;
      const end = ended({ id, project_id, ended_at: clock(), kind: 'real_time', ...this.#priced(id, 0) });
      const request = { end, state: 'tried' as const, isReserved: true };
      this.#all.push({ request, phase: 'runs', heardMs: 0, reservedMs: reserved.ms, told: [0], sureMs: 0 });
    });
  }

  /** Its process tells what was heard by then. */
  hear = (heard: Heard): Promise<void> =>
    this.#at('runs', heard, async (session) => {
      await this.#extend(session, heard.ms);
      session.told.push(session.heardMs);
      await this.#beat(session);
      session.sureMs = session.heardMs;
    });

  /** It ends. */
  hangUp = (heard: Heard): Promise<void> =>
    this.#at('runs', heard, async (session) => {
      await this.#extend(session, heard.ms);
      await this.#end(session);
    });

  /** Its process tells how it ended after it was taken for dead: what was heard meanwhile was not reserved. */
  comeBack = (heard: Heard): Promise<void> =>
    this.#at('dead', heard, async (session) => {
      session.heardMs += heard.ms;
      await this.#end(session);
    });

  /**
   * How each stands: it has told what was heard, or was billed by what it told, or by how it ended.
   * @param db of one who never ends
   * @param sweptAt when all were taken for dead for certain whose processes were silent @throws Error
   */
  async look(db: Db, sweptAt: Date | undefined): Promise<void> {
    const open = new Map(this.#all.flatMap((one) => (one.phase === 'over' ? [] : [[one.request.end.id, one]])));
    if (open.size === 0) return;
    const rows = await db
      .selectFrom('live_sessions')
      .select(['id', 'status', 'taken_for_dead', 'audio_ms', 'reserved_ms', 'reserved_micros', 'lease_until'])
      .where('id', 'in', [...open.keys()])
      .execute();
    for (const row of rows) {
      const session = open.get(row.id);
      if (session === undefined) continue;
      const phase = row.status === 'running' ? 'runs' : row.taken_for_dead ? 'dead' : 'over';
      if (phase === 'runs' && (session.phase === 'dead' || (sweptAt !== undefined && row.lease_until < sweptAt)))
        throw new Error(`The live session ${row.id} is dead, and runs.`);
      const told = phase === 'runs' && session.sureMs !== undefined ? [session.sureMs] : session.told;
      const known = phase === 'over' ? [session.heardMs] : told;
      if (!known.includes(row.audio_ms))
        throw new Error(`The live session ${row.id} has not heard ${row.audio_ms} ms.`);
      const reserved = this.#priced(row.id, Number(row.reserved_ms)).cost_micros ?? 0;
      if (Number(row.reserved_micros) !== reserved)
        throw new Error(`The live session ${row.id} has ${row.reserved_micros} reserved, not ${reserved}.`);
      session.phase = phase;
      session.told = [row.audio_ms];
      session.sureMs = undefined;
      this.#bill(session, row.audio_ms);
      session.request.state = phase === 'runs' ? 'tried' : 'written';
    }
  }

  /** Lets all end that run; those that are dead stay so. */
  async finish(): Promise<void> {
    for (const { phase } of this.#all) if (phase === 'runs') await this.hangUp({ which: 0, ms: 0 });
  }

  /** One process is at a session. */
  async #at(phase: Session['phase'], { which }: Heard, work: (session: Session) => Promise<void>): Promise<void> {
    const session = pick(
      this.#all.filter((one) => one.phase === phase),
      which,
    );
    if (session === undefined || this.#busy.has(session)) return;
    this.#busy.add(session);
    await work(session).finally(() => this.#busy.delete(session));
  }

  /** Hears so much more, as far as there is room. */
  async #extend(session: Session, ms: number): Promise<void> {
    const { id } = session.request.end;
    const wantedMs = session.heardMs + ms;
    const parts = { ...this.#services, limitDefaults: LIMIT_DEFAULTS };
    if (wantedMs > session.reservedMs)
      await whereThereIsRoom(async () => {
        const length = { leastMs: wantedMs, mostMs: wantedMs + RESERVED_MS };
        const reservedMs = await raiseReservation(parts, { table: 'live_sessions', id }, length);
        session.reservedMs = reservedMs ?? session.reservedMs;
      });
    session.heardMs = Math.min(wantedMs, session.reservedMs);
  }

  async #beat({ request, heardMs }: Session): Promise<void> {
    const { db, clock } = this.#services;
    const now = await databaseNow(db, clock);
    await renewLiveSessions(db, new Map([[request.end.id, { ...LIVE_END, audioMs: heardMs }]]), leaseFrom(now));
  }

  async #end(session: Session): Promise<void> {
    const { db, clock } = this.#services;
    const { request, heardMs } = session;
    request.state = 'changing';
    await endLiveSession(db, request.end.id, { ...LIVE_END, audioMs: heardMs, at: clock() });
    session.phase = 'over';
    this.#bill(session, heardMs);
    request.state = 'written';
  }

  #bill({ request, phase }: Session, audioMs: number): void {
    const status = phase === 'dead' ? 'cancelled' : 'completed';
    request.end = { ...request.end, status, ...this.#priced(request.end.id, audioMs) };
  }

  #priced = (id: string, audioMs: number) => this.#starts.priced(audioMs, id, 'real_time');
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
