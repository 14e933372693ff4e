import { randomUUID } from 'node:crypto';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { admit } from '#server/money/limits/admission.ts';
import { BalanceExhausted, LimitReached } from '#server/money/limits/errors.ts';
import { raiseReservation } from '#server/money/limits/grow.ts';
import { LEAST_RESERVED_MS } from '#server/money/limits/reservations.ts';
import { addUsage, replaceUsage, type UsageEnd } from '#server/money/usage/rows.ts';
import type { Services } from '#server/platform/context.ts';
import {
  CANCELLED,
  completeTranscription,
  failTranscription,
  lockProjectOf,
} from '#server/speech-api/transcriptions/finish.ts';
import { ended } from '../../usage.ts';
import { MODEL, type Starts } from './starts.ts';
import { pick, type OwnStep } from './steps.ts';

/** A request, as its engine knows it. */
export interface Request {
  end: UsageEnd;
  /** Whether it is written, or changed, for certain: a process that ends before it has heard of it cannot tell. */
  state: 'tried' | 'written' | 'changing';
  /** Whether a transcription ends with it, for which something was reserved. */
  isReserved: boolean;
}

/** What the projects of an organization use, and what that costs by then. */
export class Requests {
  readonly all: Request[] = [];
  readonly #services: Pick<Services, 'db' | 'clock' | 'log'>;
  readonly #projects: readonly string[];
  /** Transcriptions that have begun. */
  readonly #begun: { id: string; project_id: string }[] = [];
  /** Those that a worker is at. */
  readonly #busy = new Set<string>();
  readonly #starts: Starts;

  constructor(services: Pick<Services, 'db' | 'clock' | 'log'>, projects: readonly string[], starts: Starts) {
    this.#services = services;
    this.#projects = projects;
    this.#starts = starts;
  }

  async add(project: 0 | 1, audioMs: number, ended_at: Date): Promise<void> {
    const project_id = this.#projects[project] ?? '';
    const end = ended({ project_id, ended_at, ...this.#starts.priced(audioMs) });
    const request = { end, state: 'tried' as const, isReserved: false };
    this.all.push(request);
    await this.write(request);
  }

  async write(request: Request | undefined): Promise<void> {
    if (request === undefined || request.state === 'changing') return;
    const { end, isReserved } = request;
    const isThere = await this.#services.db.transaction().execute(async (trx) => {
      const now = new Date(end.ended_at);
      if (isReserved && !(await lockProjectOf(trx, end.id))) return false;
      if (!isReserved) await addUsage(trx, [end]);
      else if (end.status === 'cancelled') await failTranscription(trx, end.id, CANCELLED, now);
      else await completeTranscription(trx, end.id, { tokens: [], durationMs: end.audio_ms, notes: [] }, now);
      return true;
    });
    if (isThere && request.state === 'tried') request.state = 'written';
  }

  async putRight(request: Request | undefined, audioMs: number): Promise<void> {
    if (request === undefined) return;
    request.state = 'changing';
    const end = { ...request.end, ...this.#starts.priced(audioMs, request.end.id) };
    request.end = end;
    await this.#services.db.transaction().execute((trx) => replaceUsage(trx, end));
    request.state = 'written';
  }

  /** Begins a transcription where there is room for it, as a request over HTTP does. */
  async begin({ project, leastMs, mostMs }: OwnStep & { do: 'begin' }): Promise<void> {
    const { db, clock } = this.#services;
    const [id, project_id] = [randomUUID(), this.#projects[project] ?? ''];
    const length = {
      leastMs: Math.max(LEAST_RESERVED_MS, leastMs),
      mostMs: Math.max(LEAST_RESERVED_MS, leastMs, mostMs),
    };
    const promise = this.#starts.promise(id);
    await whereThereIsRoom(async () => {
      const isBegun = await db.transaction().execute(async (trx) => {
        const wish = { kind: 'async', model: MODEL, ...length } as const;
        const admission = await admit(trx, { clock, limitDefaults: LIMIT_DEFAULTS }, project_id, 'transcription', wish);
        if (admission === undefined) return false;
        await promise(trx, admission.now);
        const { reserved, perHour: micros_per_hour } = admission;
        await trx
          .insertInto('transcriptions')
          .values({
            ...{
              id,
              project_id,
              status: 'queued',
              model: MODEL,
              filename: 'f',
              origin: 'public_api',
              created_at: admission.now,
            },
            ...{ enable_speaker_diarization: false, enable_language_identification: false },
            ...{ reserved_ms: reserved.ms, reserved_micros: reserved.micros, micros_per_hour },
          })
          .execute();
        return true;
      });
      if (isBegun) this.#begun.push({ id, project_id });
    });
  }

  /** Its worker sees that it is of another length. */
  async grow({ which, leastMs, mostMs }: OwnStep & { do: 'grow' }): Promise<void> {
    await this.#at(which, async (id) => {
      const parts = { ...this.#services, limitDefaults: LIMIT_DEFAULTS };
      const length = { leastMs, mostMs: Math.max(leastMs, mostMs) };
      await whereThereIsRoom(() => raiseReservation(parts, { table: 'transcriptions', id }, length));
    });
  }

  /** Its worker is done, and has heard no more than was reserved. */
  async end({ which, percent, isCancelled }: Omit<OwnStep & { do: 'finish' }, 'of'>): Promise<void> {
    await this.#at(which, async (id) => {
      const tried = this.all.find(({ end }) => end.id === id);
      if (tried !== undefined) return tried.state === 'tried' ? this.write(tried) : undefined;
      const row = await this.#services.db
        .selectFrom('transcriptions')
        .select(['project_id', 'reserved_ms', 'reserved_micros'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const reserved = this.#starts.priced(Number(row.reserved_ms), id);
      if (Number(row.reserved_micros) !== (reserved.cost_micros ?? 0))
        throw new Error(`For ${reserved.audio_ms} ms ${row.reserved_micros} is reserved, not ${reserved.cost_micros}.`);
      const used = this.#starts.priced(isCancelled ? 0 : Math.floor((reserved.audio_ms * percent) / 100), id);
      const status = isCancelled ? ('cancelled' as const) : ('completed' as const);
      const end = ended({ id, project_id: row.project_id, ended_at: this.#services.clock(), status, ...used });
      const request = { end, state: 'tried' as const, isReserved: true };
      this.all.push(request);
      return this.write(request);
    });
  }

  /** What had begun in a project that is gone, and had not ended for certain, was cancelled with it. */
  drop(projectId: string): void {
    for (const { id, project_id } of this.#begun) {
      if (project_id !== projectId) continue;
      const known = this.all.findIndex(({ end }) => end.id === id);
      if (known !== -1 && this.all[known]?.state !== 'tried') continue;
      const ended_at = this.#services.clock();
      const end = ended({ id, project_id, ended_at, status: 'cancelled', ...this.#starts.priced(0, id) });
      this.all.splice(known === -1 ? this.all.length : known, 1, { end, state: 'written', isReserved: true });
    }
  }

  /** One worker is at a transcription. */
  async #at(which: number, work: (id: string) => Promise<void>): Promise<void> {
    const { id } = pick(this.#begun, which) ?? {};
    if (id === undefined || this.#busy.has(id)) return;
    this.#busy.add(id);
    await work(id).finally(() => this.#busy.delete(id));
  }

  /** Lets all be written that was tried, and all end that was begun. */
  async finish(): Promise<void> {
    for (let which = 0; which < this.#begun.length; which += 1)
      await this.end({ do: 'finish', which, percent: 100, isCancelled: false });
    for (const request of this.all)
      await (request.state === 'changing' ? this.putRight(request, request.end.audio_ms) : this.write(request));
  }
}

/** What there is no room for is refused. */
export async function whereThereIsRoom(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LimitReached || error instanceof BalanceExhausted)) throw error;
  }
}
