/** Sends calls and reads their answers. */
import ky from 'ky';
import * as v from 'valibot';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { type EarlyAnswer, earlyCalls } from '../../early/calls.ts';
import { type Answer, readAnswer, type Schema } from './answers.ts';
import type { AnyCall, DataRow } from './rows.ts';

export type AuthorizedCall = AnyCall & { headers: Record<string, string> };

/** An answer to a download; `file` is null if the server refused it. */
type FileAnswer = Answer & { file: Blob | null };

const BAD_REQUEST = 400;
const CsrfRefusal = v.pipe(v.string(), v.parseJson(), v.object({ error_type: v.literal('csrf_failed') }));

/** A client for one base address. Nothing is retried, and nothing times out by itself (ERR-02). */
export function createClient(baseUrl: string) {
  const client = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    headers: { accept: 'application/json' },
  });
  const respond = async (request: AuthorizedCall): Promise<Response> => {
    const { row, headers, json, signal } = request;
    return client(urlOf(baseUrl, request), {
      method: row.method,
      headers,
      ...(json === undefined ? {} : { json }),
      ...(signal ? { signal } : {}),
    });
  };
  return {
    /** @throws the browser's error if no answer comes */
    send: async (request: AuthorizedCall): Promise<Answer> => {
      const early = await takeEarly(baseUrl, request);
      const answer = early ? answerOf(early.response, early.text) : await answered(await respond(request));
      request.signal?.throwIfAborted();
      return answer;
    },
    /** Like `send`, for a file. The browser keeps a large file outside of the page's memory. */
    fetchFile: async (request: AuthorizedCall): Promise<FileAnswer> => {
      const response = await respond({ ...request, headers: { ...request.headers, accept: '*/*' } });
      if (!response.ok) return { ...(await answered(response)), file: null };
      const file = await response.blob();
      return { status: response.status, text: '', requestId: response.headers.get(REQUEST_ID_HEADER), file };
    },
    /** The checked body of an answer. @throws CallError if the call was refused, or the body does not fit the row */
    read: <Expected extends Schema>(
      row: DataRow<string, Schema, Schema, Expected>,
      answer: Answer,
      supportEmail: string,
    ): v.InferOutput<Expected> => readAnswer(answer, schemaOf(row), supportEmail),
    /** The file of an answer. @throws CallError if the call was refused */
    readFile: ({ file, ...answer }: FileAnswer, supportEmail: string): Blob =>
      file ?? readAnswer(answer, v.never(), supportEmail),
    /** Whether the server refused the page's CSRF token. It has then done nothing of the call. */
    isCsrfRefusal: ({ status, text }: Answer): boolean =>
      status === BAD_REQUEST && v.safeParse(CsrfRefusal, text).success,
  };
}

/** The schema of a row's answer; if the row answers with nothing, any body fits. */
function schemaOf<Expected extends Schema>(row: DataRow<string, Schema, Schema, Expected>): Expected;
function schemaOf({ answers }: DataRow<string, Schema, Schema, Schema>): Schema {
  return answers[200] ?? answers[201] ?? v.unknown();
}

const answerOf = (response: Response, text: string): Answer => ({
  status: response.status,
  text,
  requestId: response.headers.get(REQUEST_ID_HEADER),
});

const answered = async (response: Response): Promise<Answer> => answerOf(response, await response.text());

function urlOf(baseUrl: string, { row, params = {}, query }: AuthorizedCall): string {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${baseUrl}${path}${search && `?${search}`}`;
}

const takeEarly = (baseUrl: string, request: AuthorizedCall): Promise<EarlyAnswer> | null =>
  earlyCalls.take({
    method: request.row.method,
    url: urlOf(baseUrl, request),
    authorization: request.headers['authorization'] ?? '',
  });
