/** Sends calls and reads their answers. */
import ky from 'ky';
import * as v from 'valibot';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { type EarlyAnswer, earlyCalls } from '../../early/calls.ts';
import { type Answer, readAnswer, type Schema } from './answers.ts';
import type { AnyCall, DataRow } from './rows.ts';

export type Sent = AnyCall & { headers: Record<string, string> };

/** Null where it was refused. */
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
  const respond = async (sent: Sent): Promise<Response> => {
    const { row, headers, json, signal } = sent;
    return client(urlOf(baseUrl, sent), {
      method: row.method,
      headers,
      ...(json === undefined ? {} : { json }),
      ...(signal ? { signal } : {}),
    });
  };
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
    /** The checked body of an answer. @throws CallError where it was refused, or does not fit the row. */
    read: <Expected extends Schema>(
      row: DataRow<string, Schema, Schema, Expected>,
      answer: Answer,
      supportEmail: string,
    ): v.InferOutput<Expected> => readAnswer(answer, schemaOf(row), supportEmail),
    /** @throws CallError where it was refused. */
    readFile: ({ file, ...answer }: FileAnswer, supportEmail: string): Blob =>
      file ?? readAnswer(answer, v.never(), supportEmail),
    /** Whether the page's CSRF token was refused. The server has done nothing then. */
    isCsrfRefusal: ({ status, text }: Answer): boolean =>
      status === BAD_REQUEST && v.safeParse(CsrfRefusal, text).success,
  };
}

/** The schema of a row's answer; anything fits where it answers with nothing. */
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

function urlOf(baseUrl: string, { row, params = {}, query }: Sent): string {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${baseUrl}${path}${search && `?${search}`}`;
}

const takeEarly = (baseUrl: string, sent: Sent): Promise<EarlyAnswer> | null =>
  earlyCalls.take({
    method: sent.row.method,
    url: urlOf(baseUrl, sent),
    authorization: sent.headers['authorization'] ?? '',
  });
