import type * as v from 'valibot';
import { CallError } from '#machines/shared/failure.ts';
import { lateCode } from '../../behaviours/late.ts';
import { earlyCalls } from '../../early/calls.ts';
import type { Answer, Schema } from './answers.ts';
import type { AnyCall, Asked, DataRow, FileRow } from './rows.ts';
import type { createClient, Sent } from './sending.ts';
import { fallbackMessage, isUnauthorized, unanswered } from './unanswered.ts';

/** Headers that say who calls. `access` is the token among them; null for a call without a session. */
export type Authorization = { headers: Record<string, string>; access: string | null };

/** What both APIs need: who calls, and whom to tell that a call was refused. */
export type CallerOptions = {
  /** Absolute; the paths of rows follow it. */
  baseUrl: string;
  supportEmail: string;
  authorize: (signal: AbortSignal | undefined) => Authorization | Promise<Authorization>;
  /** A call with this access token was answered 401 or 403. */
  onUnauthorized: (access: string, status: number) => void;
  /** A call of who is signed in was told that there is no such thing. */
  onMissing?: () => void;
  /** The page's CSRF token was refused: takes the one that came with the refusal. The call is repeated once. */
  renewCsrf?: () => void;
};

/** Makes the call of a row. */
export type Caller = <
  Path extends string,
  Query extends Schema = never,
  Body extends Schema = never,
  Expected extends Schema = v.UnknownSchema,
>(
  row: DataRow<Path, Query, Body, Expected>,
  asked: Asked<Path, Query, Body>,
) => Promise<v.InferOutput<Expected>>;

/** Fetches the file of a row. */
export type Downloader = <Path extends string, Query extends Schema = never, Body extends Schema = never>(
  row: FileRow<Path, Query, Body>,
  asked: Asked<Path, Query, Body>,
) => Promise<Blob>;

/**
 * A caller whose every answer is checked by a schema and whose every failure is a {@link CallError}. An abort passes
 * through as the signal's own reason. Nothing is retried but a call with a stale CSRF token, once; and nothing times out by itself (ERR-02).
 */
export function createCaller(options: CallerOptions): Caller {
  const answerTo = createAsker(options);
  return async (row, asked) => {
    const { client, answer } = await answerTo({ row, ...asked }, (of, sent) => of.send(sent));
    return client.read(row, answer, options.supportEmail);
  };
}

/** The same for files: a refusal is told as by any call, and so is a file that breaks off. */
export function createDownloader(options: CallerOptions): Downloader {
  const answerTo = createAsker(options);
  return async (row, asked) => {
    const { client, answer } = await answerTo({ row, ...asked }, (of, sent) => of.fetchFile(sent));
    return client.readFile(answer, options.supportEmail);
  };
}

/** Says who calls, and tells whom it concerns that a call was refused. */
function createAsker({ baseUrl, supportEmail, authorize, onUnauthorized, onMissing, renewCsrf }: CallerOptions) {
  let made: Client | undefined;
  // What fails before anything is sent says nothing of the server.
  const authorized = async (signal: AbortSignal | undefined) => {
    try {
      return await authorize(signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof CallError
        ? error
        : new CallError({ message: fallbackMessage(supportEmail), kind: 'OTHER' });
    }
  };
  return async <A extends Answer>(asked: AnyCall, send: (client: Client, sent: Sent) => Promise<A>) => {
    const { row, signal } = asked;
    try {
      let { headers, access } = await authorized(signal);
      const client = (made ??= (await fetchSending()).createClient(baseUrl));
      // What was read before is no longer so.
      if (access !== null && row.method !== 'get') earlyCalls.drop();
      let answer = await send(client, { ...asked, headers });
      if (renewCsrf && client.isCsrfRefusal(answer)) {
        renewCsrf();
        ({ headers, access } = await authorized(signal));
        answer = await send(client, { ...asked, headers });
      }
      if (access !== null && isUnauthorized(answer.status)) onUnauthorized(access, answer.status);
      if (access !== null && answer.status === 404) onMissing?.();
      return { client, answer };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof CallError) throw error;
      throw unanswered(isTimeout(error) ? 'TIMEOUT_ERROR' : 'FETCH_ERROR', supportEmail);
    }
  };
}

type Sending = { createClient: typeof createClient };
type Client = ReturnType<typeof createClient>;

let sending: Promise<Sending> | undefined;

/** What sends and reads comes with the first call: the sign-in page is there before anything is called. All callers share it. */
function fetchSending(): Promise<Sending> {
  sending ??= lateCode
    .fetchNow(() => import('./sending.ts'))
    .catch((error: unknown) => {
      sending = undefined;
      throw error;
    });
  return sending;
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
