import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { LogEntry, logFileName, LogPage } from '#contract/logs.ts';
import type { AppEnv } from '#server/http/env.ts';
import { createHttpServer } from '#server/http/listen.ts';
import { exportStream } from '#server/money/logs/export.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { readCsv } from '#test/csv.ts';
import { projectOf } from '../../people.ts';
import { ended, writeUsage } from '../../usage.ts';
import { Served } from '../served.ts';
import { liveSession } from './live-session.ts';
import { everyPage } from './usage.ts';

const served = new Served();

const NOON = Date.parse('2026-04-28T12:00:00.000Z');
const use = (...of: Partial<UsageEnd>[]): Promise<void> =>
  writeUsage(
    served.db,
    of.map((end, n) => ended({ project_id: served.ada.projectId, ended_at: new Date(NOON - n * 1000), ...end })),
  );
const get = (path: string, query: Record<string, string>): Promise<Response> =>
  served.server.call(served.ada, 'GET', `${projectOf(served.ada)}${path}?${new URLSearchParams(query).toString()}`);
const download = (query: Record<string, string>): Promise<Response> => get('logs/export/', query);
async function listed(query: Record<string, string> = {}): Promise<LogEntry[]> {
  const pages = await everyPage(async (cursor) =>
    v.parse(LogPage, await (await get('logs/', { ...query, cursor })).json()),
  );
  return pages.flatMap(({ logs }) => logs);
}
const linesOf = (text: string): LogEntry[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => v.parse(LogEntry, JSON.parse(line)));

describe('logs as a file', () => {
  it('LOG-04: JSON lines and CSV hold what the list shows, in its order, over many pieces', async () => {
    const key = randomUUID();
    await use(
      ...Array.from({ length: 1234 }, (_, n): Partial<UsageEnd> => ({
        status: n % 3 === 0 ? 'failed' : 'completed',
        error_type: n % 3 === 0 ? 'timeout' : null,
        cost_micros: n * 7,
        audio_ms: 1000 + n,
        ...(n % 5 === 0 && { origin: 'public_api', api_key_id: key }),
        processing_ms: n % 2 === 0 ? n : null,
      })),
    );
    for (const filter of [{}, { status: 'failed' }] as Record<string, string>[]) {
      const list = await listed(filter);
      expect(list).toHaveLength('status' in filter ? 412 : 1234);
      const lines = await download({ ...filter, format: 'jsonl' });
      expect(lines.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
      expect(linesOf(await lines.text())).toEqual(list);
      const csv = await download({ ...filter, format: 'csv' });
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toMatch(
        /^attachment; filename="logs-until-\d{4}-\d\d-\d\d\.csv"$/,
      );
      const rows = readCsv(await csv.text());
      expect(
        rows.map(({ id, ended_at, status, key_uuid, error_type, audio_ms, processing_ms, cost_usd }) => [
          ...[id, ended_at, status, key_uuid, error_type],
          ...[Number(audio_ms), processing_ms, Number(cost_usd) * 1_000_000],
        ]),
      ).toEqual(
        list.map(({ id, ended_at, status, key: by, error_type, audio_ms, processing_ms, cost_micros }) => [
          ...[id, ended_at, status, by?.uuid ?? '', error_type ?? ''],
          ...[audio_ms, String(processing_ms ?? ''), expect.closeTo(cost_micros ?? 0, 3)],
        ]),
      );
    }
  });

  it('LOG-04: a failed request has the code and the message of its error in a CSV, as far as it was kept', async () => {
    const id = randomUUID();
    await served.db
      .insertInto('transcriptions')
      .values({
        id,
        project_id: served.ada.projectId,
        status: 'error',
        model: 'stt-async-v5',
        filename: 'talk.wav',
        enable_speaker_diarization: false,
        enable_language_identification: false,
        origin: 'public_api',
        created_at: new Date(NOON),
        error_type: 'invalid_audio',
        error_message: 'The file holds no audio.',
      })
      .execute();
    const session = await liveSession(served.db, served.ada, {
      started_at: new Date(NOON),
      status: 'failed',
      error_message: 'No audio came for 20 seconds.',
    });
    const failed = { status: 'failed' } as const;
    await use(
      { id, ...failed, error_type: 'invalid_audio' },
      { ...failed, error_type: 'organization_balance_exhausted' },
      { id: session, ...failed, kind: 'real_time', error_type: 'request_timeout' },
      { ...failed, kind: 'real_time', error_type: 'request_timeout' },
      { ...failed, error_type: 'of_tomorrow' },
      {},
    );
    const rows = readCsv(await (await download({ format: 'csv' })).text());
    expect(rows.map(({ error_code, error_message }) => [error_code, error_message])).toEqual([
      ['400', 'The file holds no audio.'],
      ['402', ''],
      ['408', 'No audio came for 20 seconds.'],
      ['408', ''],
      ['', ''],
      ['', ''],
    ]);
  });

  it('LOG-04: nothing that matches is a CSV with the names of its columns, or no line', async () => {
    expect(await (await download({ format: 'jsonl' })).text()).toBe('');
    expect(await (await download({ format: 'csv' })).text()).toBe(
      'id,request_id,started_at,ended_at,kind,status,model,origin,key_uuid,key_name,person,client_reference_id,audio_ms,cost_usd,error_type,queue_ms,processing_ms,first_word_ms,finals_ms,error_code,error_message,requests\r\n',
    );
  });

  it('LOG-04: a form that there is not, or none, is refused', async () => {
    expect((await download({ format: 'xml' })).status).toBe(400);
    expect((await download({})).status).toBe(400);
  });

  it('LOG-05: no text of a client is a formula to a spreadsheet; commas, quotes and lines stay in their cell', async () => {
    const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1+1', '\tx', '\rx', '\nx', 'a,"b"\r\nc', 'a;b', 'plain'];
    // Where the separator is a semicolon or a tab, what follows one begins a cell.
    const parts = {
      'a;=1;+2': "a;'=1;'+2",
      '\t=1': "'\t'=1",
      ' \t @A1': " \t' @A1",
      'a;\u00A0=1': "a;'\u00A0=1",
      'a\n-1': "a\n'-1",
      'a\uFEFF@A1': "a\uFEFF'@A1",
    };
    texts.push(...Object.keys(parts));
    await use(...texts.map((client_reference_id) => ({ client_reference_id })));
    const cells = readCsv(await (await download({ format: 'csv' })).text()).map(
      ({ client_reference_id }) => client_reference_id,
    );
    expect(cells).toEqual([
      ...texts.slice(0, 8).map((text) => `'${text}`),
      ...texts.slice(8, 11),
      ...Object.values(parts),
    ]);
    // JSON is no table: it holds what was sent.
    expect(
      linesOf(await (await download({ format: 'jsonl' })).text()).map(({ client_reference_id }) => client_reference_id),
    ).toEqual(texts);
  });

  it('LOG-06: pieces are read as they are taken: none before, and no more once the reader has left', async () => {
    let reads = 0;
    const stream = exportStream(
      'jsonl',
      () => {
        reads += 1;
        return Promise.resolve({ entries: [], next: { at: 1, position: reads } });
      },
      () => expect.unreachable(),
    );
    expect(reads).toBe(0);
    await stream.cancel();
    expect(reads).toBe(0);
  });

  it('LOG-06: where reading fails, the file breaks off: it does not pass for a whole one', async () => {
    const broken: unknown[] = [];
    const failure = new Error('The database is gone.');
    const stream = exportStream(
      'csv',
      (before) =>
        before === null ? Promise.resolve({ entries: [], next: { at: 1, position: 1 } }) : Promise.reject(failure),
      (error) => broken.push(error),
    );
    await expect(new Response(stream).text()).rejects.toThrow('The database is gone.');
    expect(broken).toEqual([failure]);
  });

  it('LOG-06: a client that does not read keeps the server from reading on', async () => {
    await use({ client_reference_id: 'x'.repeat(256) });
    const [entry] = await listed();
    const entries = Array.from({ length: 500 }, () => entry!);
    const pieces = 100;
    let read = 0;
    const app = new Hono<AppEnv>().get('/', (c) =>
      c.body(
        exportStream(
          'jsonl',
          (before) => {
            read += 1;
            const position = (before?.position ?? 0) + 1;
            return Promise.resolve({ entries, next: position === pieces ? null : { at: 1, position } });
          },
          () => expect.unreachable(),
        ),
      ),
    );
    const http = createHttpServer(served.server.services, app);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
    try {
      const slow = await new Promise<IncomingMessage>((resolve, reject) => {
        request(url, resolve).on('error', reject).end();
      });
      // Meanwhile it could have been read as often.
      const { length: whole } = await (await fetch(url)).text();
      await (await fetch(url)).text();
      const ahead = read - 2 * pieces;
      expect(ahead).toBeGreaterThan(0);
      expect(ahead).toBeLessThan(pieces / 2);
      let length = 0;
      for await (const piece of slow) length += (piece as Buffer).length;
      expect([length, read]).toEqual([whole, 3 * pieces]);
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    }
  });
});

describe('LOG-12: the name of a download', () => {
  const now = new Date('2026-04-30T09:05:00Z');

  it.each([
    [{}, 'logs-until-2026-04-30.csv'],
    [{ to: '2026-04-29T00:00:00Z' }, 'logs-until-2026-04-28.csv'],
    [{ from: '2026-04-23T09:05:00Z' }, 'logs-2026-04-23-2026-04-30.csv'],
    [{ from: '2026-04-01T00:00:00Z', to: '2026-04-29T00:00:00Z' }, 'logs-2026-04-01-2026-04-28.csv'],
    [{ from: '2026-04-28T00:00:00Z', to: '2026-04-29T00:00:00Z' }, 'logs-2026-04-28-2026-04-28.csv'],
    [{ from: '2026-04-30T08:05:00Z' }, 'logs-2026-04-30-0805-0905.csv'],
  ])('%j: %s', (window, name) => {
    expect(logFileName(window, 'csv', now)).toBe(name);
  });
});
