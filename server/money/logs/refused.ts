/** Writes down requests that were refused before they began, for the logs and the error rate. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LogRequest } from '#contract/logs.ts';
import type { Caller } from '../../platform/callers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Services } from '../../platform/context.ts';
import { outsideWork } from '../../platform/telemetry/work.ts';
import { EVENTS_CHANNEL } from '../../tenancy/events/notices.ts';
import { keptAsked } from './asked.ts';

export interface RefusedRequest {
  requestId: string;
  caller: Caller;
  kind: 'async' | 'real_time';
  /** As the request names it; null if it could not be read. */
  model: string | null;
  clientReferenceId: string | null;
  /** Its settings; null if they could not be read. */
  asked: LogRequest | null;
  /** The HTTP status. */
  code: number;
  type: string;
  message: string;
}

/** Rows that the refusals of one project, kind and error may have at once; then one for each {@link REFILL_MS}. */
export const ROWS_AT_ONCE = 20;
const REFILL_MS = 60_000;
/** Time until counted refusals are written, milliseconds. */
const COUNTING_MS = 5000;
/** Longest stored texts, characters. */
const LONGEST = { model: 100, reference: 256, message: 500 };

/**
 * Stands in a row for several models, or several references, of the requests that it counts. No single one is stored so:
 * an empty name counts as none.
 */
export const SEVERAL = '';

/** What a refused request names, as it is stored. */
interface Named {
  model: string | null;
  reference: string | null;
}

/** Refusals that a row counts, and whether they name anything else than it does. */
interface Counted {
  requests: number;
  models: boolean;
  references: boolean;
}

/** How many rows the refusals of one project, kind and error may still have. */
interface Budget {
  rows: number;
  /** When it was last refilled, milliseconds. */
  at: number;
  /** The latest row: it counts refusals that get none. */
  id: string;
  /** What that row names. */
  named: Named;
}

/**
 * Writes refusals in the background, several in one statement. The caller never waits for it or hears of its failure. A
 * client that repeats a refused request fast gets few rows; each counts the refusals after it.
 */
export class RefusedLog {
  readonly #parts: Pick<Services, 'db' | 'clock' | 'log'> & { timers: Clock };
  readonly #budgets = new Map<string, Budget>();
  readonly #rows: object[] = [];
  /** Refusals to count, by row. */
  #counts = new Map<string, Counted>();
  #writing: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(parts: Pick<Services, 'db' | 'clock' | 'log'> & { timers: Clock }) {
    this.#parts = parts;
  }

  /** Notes a refusal. Returns at once. */
  note({ requestId, caller, kind, model, clientReferenceId, asked, code, type, message }: RefusedRequest): void {
    const at = this.#parts.clock();
    const named = { model: nameOf(model, LONGEST.model), reference: nameOf(clientReferenceId, LONGEST.reference) };
    const { id, first } = this.#rowFor(`${caller.projectId} ${kind} ${type}`, at.getTime(), named);
    if (first !== undefined) {
      const counted = this.#counts.get(id);
      this.#counts.set(id, {
        requests: (counted?.requests ?? 0) + 1,
        models: counted?.models === true || named.model !== first.model,
        references: counted?.references === true || named.reference !== first.reference,
      });
      this.#stopTimer ??= this.#parts.timers.after(COUNTING_MS, () => void this.flush());
      return;
    }
    this.#rows.push({
      id,
      request_id: requestId,
      project_id: caller.projectId,
      origin: caller.origin,
      api_key_id: caller.apiKeyId,
      user_id: caller.userId,
      client_reference_id: named.reference,
      kind,
      model: named.model,
      code,
      error_type: type,
      message: storable(message, LONGEST.message),
      settings: keptAsked(asked),
      refused_at: at,
      requests: 1,
    });
    this.#write();
  }

  /** Resolves when everything noted before is written, or could not be. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#write();
    await this.#writing;
  }

  /** The row for a refusal; `first` is what an earlier row that counts it names. */
  #rowFor(key: string, now: number, named: Named): { id: string; first?: Named } {
    const budget = this.#budgets.get(key) ?? { rows: ROWS_AT_ONCE, at: now, id: '', named };
    this.#budgets.set(key, budget);
    const refills = Math.floor((now - budget.at) / REFILL_MS);
    if (refills > 0) {
      budget.rows = Math.min(ROWS_AT_ONCE, budget.rows + refills);
      budget.at += refills * REFILL_MS;
    }
    if (budget.rows === 0) return { id: budget.id, first: budget.named };
    budget.rows -= 1;
    budget.id = randomUUID();
    budget.named = named;
    return { id: budget.id };
  }

  #write(): void {
    this.#writing ??= outsideWork(() => this.#writeAll()).finally(() => {
      this.#writing = undefined;
      // Noted after the last look.
      if (this.#rows.length > 0) this.#write();
    });
  }

  async #writeAll(): Promise<void> {
    // After the current turn, so that refusals of the same moment share a statement.
    await Promise.resolve();
    const counts = this.#counts;
    this.#counts = new Map();
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    try {
      while (this.#rows.length > 0) await this.#insert(this.#rows.splice(0));
      if (counts.size > 0) await this.#count(counts);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'refused requests are not in the logs');
    }
    this.#forgetFull(this.#parts.clock().getTime());
  }

  /** Locks projects until their rows are there. Skips projects that are being deleted, so that it waits for no deletion. */
  async #insert(rows: readonly object[]): Promise<void> {
    await sql`insert into refused_requests (id, request_id, project_id, origin, api_key_id, user_id,
        client_reference_id, kind, model, code, error_type, message, settings, refused_at, requests)
      select given.id, request_id, project_id, origin, api_key_id, user_id,
        client_reference_id, kind, model, code, error_type, message, settings, refused_at, requests
      from json_populate_recordset(null::refused_requests, ${JSON.stringify(rows)}::json) with ordinality as given
      join projects on projects.id = given.project_id order by ordinality for key share of projects skip locked`.execute(
      this.#parts.db,
    );
  }

  /** Tells the pages of each project, as `tell_log` does of new rows. */
  async #count(counts: ReadonlyMap<string, Counted>): Promise<void> {
    const counted = [...counts].map(([id, of]) => ({ id, ...of }));
    await sql`with counted as (
        select * from json_to_recordset(${JSON.stringify(counted)}::json) as counted (
          id uuid, requests integer, models boolean, "references" boolean)
      ), free as (
        select id from refused_requests where id in (select id from counted) for no key update skip locked
      ), grown as (
        update refused_requests as known set requests = known.requests + counted.requests,
          model = case when counted.models then ${SEVERAL} else known.model end,
          settings = case when counted.models then null else known.settings end,
          client_reference_id = case when counted."references" then ${SEVERAL} else known.client_reference_id end
        from counted join free on free.id = counted.id where known.id = free.id returning known.project_id
      )
      select pg_notify(${EVENTS_CHANNEL}, json_build_object('type', 'log.added', 'project_uuid', project_id)::text)
      from (select distinct project_id from grown) as told`.execute(this.#parts.db);
  }

  /** Forgets budgets that would be full again. */
  #forgetFull(now: number): void {
    for (const [key, { at }] of this.#budgets) if (now - at >= ROWS_AT_ONCE * REFILL_MS) this.#budgets.delete(key);
  }
}

/** A name of a client's, as it is stored; null if it is empty. */
const nameOf = (text: string | null, longest: number): string | null => storable(text, longest) || null;

/** A text of a client that was not checked, such that the database takes it. */
const storable = (text: string | null, longest: number): string | null =>
  text === null ? null : text.slice(0, longest).replaceAll(/[\0\p{Surrogate}]/gu, '');
