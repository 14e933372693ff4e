import { costOf } from '#server/money/usage/prices.ts';
import { addUsage, replaceUsage, type UsageEnd } from '#server/money/usage/rows.ts';
import type { Db } from '#server/platform/db/database.ts';
import { ended } from '../../usage.ts';

/** A request, as its engine knows it. */
export interface Request {
  end: UsageEnd;
  /** Whether it is written, or changed, for certain: a process that ends before it has heard of it cannot tell. */
  state: 'tried' | 'written' | 'changing';
}

/** What a project uses, and what that costs by then. */
export class Requests {
  readonly all: Request[] = [];
  readonly #db: Db;
  readonly #projectId: string;
  #prices = new Map([['async', 1_000_000]]);

  constructor(db: Db, projectId: string) {
    this.#db = db;
    this.#projectId = projectId;
  }

  reprice(perHour: number): void {
    this.#prices = new Map(perHour === 0 ? [] : [['async', perHour]]);
  }

  async add(audioMs: number, ended_at: Date): Promise<void> {
    const end = ended({ project_id: this.#projectId, ended_at, ...this.#priced(audioMs) });
    const request = { end, state: 'tried' as const };
    this.all.push(request);
    await this.write(request);
  }

  #priced(audioMs: number): { audio_ms: number; cost_micros: number | null } {
    const cost_micros = costOf(this.#prices, { kind: 'async', model: 'm', status: 'completed', audioMs });
    return { audio_ms: audioMs, cost_micros };
  }

  async write(request: Request | undefined): Promise<void> {
    if (request === undefined || request.state === 'changing') return;
    await this.#db.transaction().execute((trx) => addUsage(trx, [request.end]));
    if (request.state === 'tried') request.state = 'written';
  }

  async putRight(request: Request | undefined, audioMs: number): Promise<void> {
    if (request === undefined) return;
    request.state = 'changing';
    const end = { ...request.end, ...this.#priced(audioMs) };
    request.end = end;
    await this.#db.transaction().execute((trx) => replaceUsage(trx, end));
    request.state = 'written';
  }

  /** Lets all be written that was tried. */
  async finish(): Promise<void> {
    for (const request of this.all)
      await (request.state === 'changing' ? this.putRight(request, request.end.audio_ms) : this.write(request));
  }
}
