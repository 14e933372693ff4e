import type { KyInstance } from 'ky';
import type * as v from 'valibot';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { CallError } from '#machines/failure.ts';
import { type Answer, isUnauthorized, readAnswer, type Schema, unanswered } from './answers.ts';

/** Headers that say who calls. `access` is the token among them; null for a call without a session. */
export type Authorization = { headers: Record<string, string>; access: string | null };

/** What both APIs need: who calls, and whom to tell that a call was refused. */
export type CallerOptions = {
  /** Absolute, with a slash at the end. */
  baseUrl: string;
  supportEmail: string;
  authorize: (signal: AbortSignal | undefined) => Authorization | Promise<Authorization>;
  /** A call with this access token was answered 401 or 403. */
  onUnauthorized: (access: string) => void;
};

/** One call. */
type Call<S extends Schema> = {
  schema: S;
  json?: unknown;
  query?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

/** Calls a method on a path below the base address (no slash in front). */
export type Caller = <S extends Schema>(method: 'get' | 'post' | 'put' | 'delete', path: string, call: Call<S>) => Promise<v.InferOutput<S>>;

/**
 * A caller whose every answer is checked by a schema and whose every failure is a {@link CallError}. An abort passes
 * through as the signal's own reason. Nothing is retried, and nothing times out by itself (spec §7).
 */
export function createCaller({ baseUrl, supportEmail, authorize, onUnauthorized }: CallerOptions): Caller {
  let client: Promise<KyInstance> | undefined;
  return async (method, path, { schema, json, query, signal }) => {
    let answer: Answer;
    try {
      const { headers, access } = await authorize(signal);
      client ??= createClient(baseUrl).catch((error: unknown) => {
        client = undefined;
        throw error;
      });
      const response = await (await client)(path, {
        method,
        headers,
        ...(json === undefined ? {} : { json }),
        ...(query ? { searchParams: query } : {}),
        ...(signal ? { signal } : {}),
      });
      if (access !== null && isUnauthorized(response.status)) onUnauthorized(access);
      answer = { status: response.status, text: await response.text(), requestId: response.headers.get(REQUEST_ID_HEADER) };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof CallError) throw error;
      throw unanswered(isTimeout(error) ? 'TIMEOUT_ERROR' : 'FETCH_ERROR', supportEmail);
    }
    return readAnswer(answer, schema, supportEmail);
  };
}

/** The library comes with the first call: the sign-in page is there before anything is called. */
async function createClient(baseUrl: string): Promise<KyInstance> {
  const { default: ky } = await import('ky');
  return ky.create({ prefixUrl: baseUrl, retry: 0, timeout: false, throwHttpErrors: false, headers: { accept: 'application/json' } });
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
