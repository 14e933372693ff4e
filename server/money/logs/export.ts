/** Exports logs as files, piece by piece, as fast as the client reads. */
import { toCsv, type Cell } from '#contract/csv.ts';
import type { LogEntry, LogFormat } from '#contract/logs.ts';
import type { Place } from '../../platform/paging.ts';
import { toUsd } from '../usage/prices.ts';
import { codeOf } from './codes.ts';
import type { Piece } from './entries.ts';

export const MEDIA_TYPES: Readonly<Record<LogFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** The messages of failed requests, by the ids of their entries. */
export type Messages = ReadonlyMap<string, string>;

/** Columns of the CSV. Times are ISO 8601 in UTC; durations are in milliseconds. */
const COLUMNS: Readonly<Record<string, (entry: LogEntry, messages: Messages) => Cell>> = {
  id: ({ id }) => id,
  request_id: ({ request_id }) => request_id,
  started_at: ({ started_at }) => started_at,
  ended_at: ({ ended_at }) => ended_at,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  model: ({ model }) => model,
  origin: ({ origin }) => origin,
  key_uuid: ({ key }) => key && key.uuid,
  key_name: ({ key }) => key && key.name,
  person: ({ person }) => person,
  client_reference_id: ({ client_reference_id }) => client_reference_id,
  audio_ms: ({ audio_ms }) => audio_ms,
  cost_usd: ({ cost_micros }) => (cost_micros === null ? null : toUsd(cost_micros)),
  error_type: ({ error_type }) => error_type,
  queue_ms: ({ queue_ms }) => queue_ms,
  processing_ms: ({ processing_ms }) => processing_ms,
  first_word_ms: ({ first_word_ms }) => first_word_ms,
  finals_ms: ({ finals_ms }) => finals_ms,
  error_code: ({ status, error_type, refusal }) =>
    refusal?.code ?? (status === 'failed' && error_type !== null ? codeOf(error_type) : null),
  error_message: ({ id, refusal }, messages) => refusal?.message ?? messages.get(id) ?? null,
  requests: ({ refusal }) => refusal?.requests ?? 1,
};

/** Entries with the messages of those that failed, where the format has them. */
type ToldPiece = Piece & { messages?: Messages };

const NO_MESSAGES: Messages = new Map();

interface Writer {
  head: string;
  write: (entries: readonly LogEntry[], messages: Messages) => string;
}

const WRITERS: Readonly<Record<LogFormat, Writer>> = {
  csv: {
    head: toCsv([Object.keys(COLUMNS)]),
    write: (entries, messages) =>
      toCsv(entries.map((entry) => Object.values(COLUMNS).map((of) => of(entry, messages)))),
  },
  jsonl: { head: '', write: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') },
};

/**
 * A stream of a file. Reads a piece only when the client has taken the one before, so that a slow client holds one
 * piece in memory. If reading fails, the stream fails, too, so that a cut file does not look complete.
 * @param read reads a piece, from a cursor on; null for the first piece
 * @param onBroken called with the error of a failed read
 */
export function exportStream(
  format: LogFormat,
  read: (before: Place | null) => Promise<ToldPiece>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const { head, write } = WRITERS[format];
  const encoder = new TextEncoder();
  let text = head;
  let place: Place | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const {
          entries,
          next,
          messages = NO_MESSAGES,
        }: ToldPiece = await read(place).catch((error: unknown) => {
          onBroken(error);
          throw error;
        });
        place = next;
        text += write(entries, messages);
        if (text !== '') controller.enqueue(encoder.encode(text));
        text = '';
        if (next === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
