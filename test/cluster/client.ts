/** A client as good ones are: it comes back when it is told to, and writes down what it was told. */
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import * as v from 'valibot';
import { ApiError } from '#contract/errors.ts';

/** How often one request is asked again before that is held against the server. */
const TRIES_MAX = 60;

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** As JSON, or as it is where it has files. */
  body?: unknown;
  /** The fields of a page's form. */
  form?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** When it was asked for, by the time of this process. */
  from: number;
  /** How often it was asked. */
  tries: number;
}

/** What clients were told, beside what they asked for. */
export class Diary {
  /** Requests that were answered in the end. */
  answered = 0;
  /** Refusals that say when to come back, by status. */
  readonly refused: Record<number, number> = {};
  /** When processes that answer were gone that were killed, by the time of this one. */
  readonly #killings = new Set<{ by: number }>();
  /** What no client may be told, or what must not happen to one. Empty where all is well. */
  readonly faults: string[] = [];

  /** Kills a process that answers: what it was asked, and its streams, may end without a word. */
  async excusing(kill: () => Promise<void>): Promise<void> {
    const killing = { by: Infinity };
    this.#killings.add(killing);
    await kill();
    killing.by = performance.now();
  }

  /** Whether something that began then may end without a word. */
  isExcused(from: number): boolean {
    return [...this.#killings].some(({ by }) => by >= from);
  }
}

/** What the balancer says where a process has begun to answer, or should have: only one that was killed may leave it to that. */
const LOST = /"message":"The answer (was lost on its way|did not come in time)/;

/** The body of an answer, read as what it must be. */
export const read = <Schema extends v.GenericSchema>(schema: Schema, { bytes }: Answer): v.InferOutput<Schema> =>
  v.parse(schema, JSON.parse(bytes.toString('utf8')));

export class Client {
  readonly #url: string;
  readonly #diary: Diary;

  constructor(url: string, diary: Diary) {
    this.#url = url;
    this.#diary = diary;
  }

  /** Asks until it is not told to come back. @throws when it is told so for ever */
  async ask(call: Call): Promise<Answer> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const answer = await this.#once(call);
      if (answer === undefined) continue;
      const { status, headers } = answer;
      const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
      const [, lost] = LOST.exec(answer.bytes.toString('utf8')) ?? [];
      if (status === 503 && lost !== undefined && !this.#diary.isExcused(answer.from)) this.#fault(call, answer);
      const isRefusal = status === 503 || (status === 429 && retryAfter > 0);
      if (!isRefusal) {
        if (status >= 500) this.#fault(call, answer);
        this.#diary.answered += 1;
        return { ...answer, tries };
      }
      // Also the balancer speaks as the server does.
      if (!(retryAfter > 0) || !v.is(ApiError, JSON.parse(answer.bytes.toString('utf8')))) this.#fault(call, answer);
      this.#diary.refused[status] = (this.#diary.refused[status] ?? 0) + 1;
      await wait(Math.max(1, retryAfter || 1) * 1000);
    }
    throw new Error(`${call.method} ${call.path} is refused for ever.`);
  }

  /** Undefined where the connection broke: the balancer stays, so that is a fault, unless a process was killed. */
  async #once({ method, path, headers, body, form }: Call): Promise<Omit<Answer, 'tries'> | undefined> {
    const isJson = body !== undefined && !(body instanceof FormData);
    const from = performance.now();
    try {
      const response = await fetch(this.#url + path, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
        body:
          form !== undefined
            ? new URLSearchParams(form)
            : body instanceof FormData
              ? body
              : isJson
                ? JSON.stringify(body)
                : null,
      });
      return {
        from,
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    } catch (error) {
      // For a process that is gone the balancer answers, but not to who is still sending; and on a connection that was used before it
      // closes, so that the client asks again.
      if (!this.#diary.isExcused(from)) this.#diary.faults.push(`${method} ${path}: ${inspect(error)}`);
      return undefined;
    }
  }

  #fault({ method, path }: Call, { status, bytes }: Omit<Answer, 'tries'>): void {
    this.#diary.faults.push(`${method} ${path}: ${status} ${bytes.toString('utf8').slice(0, 300)}`);
  }
}
