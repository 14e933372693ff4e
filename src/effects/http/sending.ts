/** Sends calls and reads their answers. */
import ky from 'ky';
import * as v from 'valibot';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { type EarlyAnswer, earlyCalls } from '../../early/calls.ts';
import { type Answer, readAnswer } from './answers.ts';

export type Sent = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Below the base address, no slash in front. */
  path: string;
  headers: Record<string, string>;
  json: unknown;
  query: Record<string, string> | undefined;
  signal: AbortSignal | undefined;
};

/** Null where it was refused. */
type FileAnswer = Answer & { file: Blob | null };

const BAD_REQUEST = 400;
const CsrfRefusal = v.pipe(v.string(), v.parseJson(), v.object({ error_type: v.literal('csrf_failed') }));

/** A client for one base address. Nothing is retried, and nothing times out by itself (spec §7). */
export function createClient(baseUrl: string) {
  const client = ky.create({
    prefixUrl: baseUrl,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    headers: { accept: 'application/json' },
  });
  const respond = async ({ method, path, headers, json, query, signal }: Sent): Promise<Response> =>
    client(path, {
      method,
      headers,
      ...(json === undefined ? {} : { json }),
      ...(query ? { searchParams: query } : {}),
      ...(signal ? { signal } : {}),
    });
  return {
    /** @throws whatever keeps an answer from coming. */
    send: async (sent: Sent): Promise<Answer> => {
      const early = await takeEarly(baseUrl, sent);
      const answer = early ? answerOf(early.response, early.text) : await answered(await respond(sent));
      sent.signal?.throwIfAborted();
      return answer;
    },
    /** The same for a file, which the browser keeps outside of the page's memory where it is large. */
    fetchFile: async (sent: Sent): Promise<FileAnswer> => {
      const response = await respond({ ...sent, headers: { ...sent.headers, accept: '*/*' } });
      if (!response.ok) return { ...(await answered(response)), file: null };
      const file = await response.blob();
      return { status: response.status, text: '', requestId: response.headers.get(REQUEST_ID_HEADER), file };
    },
    read: readAnswer,
    /** @throws CallError where it was refused. */
    readFile: ({ file, ...answer }: FileAnswer, supportEmail: string): Blob =>
      file ?? readAnswer(answer, v.never(), supportEmail),
    /** Whether the page's CSRF token was refused. The server has done nothing then. */
    isCsrfRefusal: ({ status, text }: Answer): boolean =>
      status === BAD_REQUEST && v.safeParse(CsrfRefusal, text).success,
  };
}

const answerOf = (response: Response, text: string): Answer => ({
  status: response.status,
  text,
  requestId: response.headers.get(REQUEST_ID_HEADER),
});

const answered = async (response: Response): Promise<Answer> => answerOf(response, await response.text());

function takeEarly(baseUrl: string, { method, path, headers, query }: Sent): Promise<EarlyAnswer> | null {
  const address = `${baseUrl}${path}`;
  const url = query ? `${address}?${new URLSearchParams(query).toString()}` : address;
  return earlyCalls.take({ method, url, authorization: headers['authorization'] ?? '' });
}
