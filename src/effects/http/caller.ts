import type * as v from 'valibot';
import { CallError } from '#machines/shared/failure.ts';
import { lateCode } from '../../behaviours/late.ts';
import { earlyCalls } from '../../early/calls.ts';
import type { Answer, Schema } from './answers.ts';
import type { AnyCall, CallArguments, DataRow, FileRow } from './rows.ts';
import type { createClient, AuthorizedCall } from './sending.ts';
import { fallbackMessage, isUnauthorized, unanswered } from './unanswered.ts';

/** Headers that say who calls. `access` is the token among them; null for a call without a session. */
export type Authorization = { headers: Record<string, string>; access: string | null };

/** What the callers of both APIs need: authorization, and callbacks for refused calls. */
export type CallerOptions = {
  /** Absolute; the paths of rows follow it. */
  baseUrl: string;
  supportEmail: string;
  authorize: (signal: AbortSignal | undefined) => Authorization | Promise<Authorization>;
  /** A call with this access token was answered 401 or 403. */
  onUnauthorized: (access: string, status: number) => void;
  /** A call of a signed-in person was answered 404. */
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
  args: CallArguments<Path, Query, Body>,
) => Promise<v.InferOutput<Expected>>;

/** Fetches the file of a row. */
export type Downloader = <Path extends string, Query extends Schema = never, Body extends Schema = never>(
  row: FileRow<Path, Query, Body>,
  args: CallArguments<Path, Query, Body>,
) => Promise<Blob>;

/**
 * A caller whose every answer is checked by a schema and whose every failure is a {@link CallError}. An abort passes
 * through as the signal's own reason. Nothing is retried but a call with a stale CSRF token, once; and nothing times
 * out by itself (ERR-02).
 */
export function createCaller(options: CallerOptions): Caller {
  const send = createSender(options);
  return async (row, args) => {
    const { client, answer } = await send({ row, ...args }, (client, request) => client.send(request));
    return client.read(row, answer, options.supportEmail);
  };
}

/** Like {@link createCaller}, for files. A refusal, and a download that breaks off, also become a {@link CallError}. */
export function createDownloader(options: CallerOptions): Downloader {
  const send = createSender(options);
  return async (row, args) => {
    const { client, answer } = await send({ row, ...args }, (client, request) => client.fetchFile(request));
    return client.readFile(answer, options.supportEmail);
  };
}

/** Makes a function that authorizes a call, sends it, and reports a refusal to the callbacks. */
function createSender({ baseUrl, supportEmail, authorize, onUnauthorized, onMissing, renewCsrf }: CallerOptions) {
  let shared: Client | undefined;
  // A failure before sending is not the server's, so it is not reported as a missing answer.
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
  return async <A extends Answer>(call: AnyCall, sendBy: (client: Client, request: AuthorizedCall) => Promise<A>) => {
    const { row, signal } = call;
    try {
      let { headers, access } = await authorized(signal);
      const client = (shared ??= (await fetchSending()).createClient(baseUrl));
      // A write makes the early answers stale.
      if (access !== null && row.method !== 'get') earlyCalls.drop();
      let answer = await sendBy(client, { ...call, headers });
      if (renewCsrf && client.isCsrfRefusal(answer)) {
        renewCsrf();
        ({ headers, access } = await authorized(signal));
        answer = await sendBy(client, { ...call, headers });
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

/** Loads sending.ts with the first call, because the sign-in page shows without it. All callers share it. */
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
