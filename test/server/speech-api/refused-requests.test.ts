/** Requests that are refused before they begin: what the logs and the metrics have of them, and what nothing else has. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LogDetails, LogPage } from '#contract/logs.ts';
import { Metrics } from '#contract/metrics.ts';
import { UsageLogPage } from '#contract/usage-logs.ts';
import { RefusedLog, ROWS_AT_ONCE, type RefusedRequest } from '#server/money/logs/refused.ts';
import { removeOldUsage } from '#server/money/usage/retention.ts';
import { createFakeClock } from '../fake-clock.ts';
import { eventually } from '../eventually.ts';
import type { TestUser } from '../harness.ts';
import { colleague, projectOf } from '../people.ts';
import { expectRight } from '../money/usage/usage.ts';
import { speechClient } from './client.ts';
import { liveKey, projectKey, setLimit, startSpeechServer, type ProjectKey, type SpeechServer } from './harness.ts';
import { begin, failure, finish } from './live/live-client.ts';
import { deferred } from './live/live-harness.ts';

let server: SpeechServer;
let ada: TestUser;
let key: ProjectKey;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true } });
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  key = await projectKey(server, ada);
});

const { call, post, stored, statusOf } = speechClient(() => ({ url: server.url, authorization: `Bearer ${key.key}` }));
async function logs(query: Record<string, string> = {}): Promise<LogPage> {
  await server.speech.refusedLog.flush();
  const path = `${projectOf(ada)}logs/?${new URLSearchParams(query).toString()}`;
  return v.parse(LogPage, await (await server.call(ada, 'GET', path)).json());
}
/** Error, model and reference of the entries, the latest first. */
const told = async (query?: Record<string, string>) =>
  (await logs(query)).logs.map(({ kind, error_type, refusal, model, client_reference_id }) =>
    [kind, refusal?.code, error_type, model, client_reference_id].join(' '),
  );
const live = async (config: object): Promise<void> => {
  const { request_id } = await failure(await begin(server, config));
  await eventually(async () => expect((await logs()).logs.map((entry) => entry.request_id)).toContain(request_id));
};
const details = async (id: string, as = ada): Promise<LogDetails> =>
  v.parse(LogDetails, await (await server.call(as, 'GET', `${projectOf(ada)}logs/${id}/`)).json());
/** What the latest entry asked for. */
const asked = async (as?: TestUser): Promise<LogDetails['request']> =>
  (await details((await logs()).logs[0]?.id ?? '', as)).request;
const metrics = async (): Promise<Metrics> => {
  const today = server.services.clock().toISOString().slice(0, 10);
  const path = `${projectOf(ada)}metrics/?start_date=${today}&end_date=${today}`;
  return v.parse(Metrics, await (await server.call(ada, 'GET', path)).json());
};

describe('LOG-10: a refused request of a known key', () => {
  it('is in the logs: unknown model, option, file and JSON, with what is known of it', async () => {
    await call('POST', '/transcriptions', { model: 'nope', file_id: randomUUID(), client_reference_id: 'call-7' });
    await call('POST', '/transcriptions', { model: 'stt-async-v5', file_id: randomUUID(), language_hints: ['ja'] });
    const { request_id } = await (
      await call('POST', '/transcriptions', { model: 'stt-async-v5', file_id: randomUUID() })
    ).json();
    await call('POST', '/transcriptions', '{');
    expect(await told()).toEqual([
      'async 400 invalid_request  ',
      'async 404 file_not_found stt-async-v5 ',
      'async 400 invalid_request stt-async-v5 ',
      'async 400 model_not_available nope call-7',
    ]);
    const { logs: found, choices } = await logs({ error: 'file_not_found' });
    expect(found).toMatchObject([
      {
        request_id,
        status: 'refused',
        key: { uuid: key.id, name: 'CI' },
        person: null,
        audio_ms: 0,
        cost_micros: null,
        refusal: { code: 404, message: 'File could not be found.', requests: 1 },
      },
    ]);
    expect(choices?.errors).toEqual([
      { error_type: 'invalid_request', requests: 2 },
      { error_type: 'file_not_found', requests: 1 },
      { error_type: 'model_not_available', requests: 1 },
    ]);
    expect(choices?.keys).toEqual([{ uuid: key.id, name: 'CI', requests: 4 }]);
    expect(await details(found[0]?.id ?? '')).toMatchObject({
      error_message: 'File could not be found.',
      billing_day: null,
      settings: null,
    });
  });

  it('is in the logs: live sessions with an unknown model, an option that it lacks, and a start that cannot be read', async () => {
    const of = { api_key: key.key, client_reference_id: 'call-8' };
    await live({ ...of, model: 'nope' });
    await live({ ...of, language_hints: ['ja'] });
    await live({ ...of, sample_rate: 1 });
    expect(await told({ kind: 'real_time' })).toEqual([
      'real_time 400 invalid_request parlance-rt-1 call-8',
      'real_time 400 invalid_request parlance-rt-1 call-8',
      'real_time 400 model_not_available nope call-8',
    ]);
  });

  it('is in the logs: a limit, for a file and for a live session', async () => {
    await setLimit(server, ada, 'project', 'audio_minutes', 0);
    expect((await post()).status).toBe(429);
    await live({ api_key: key.key });
    expect(await told()).toEqual([
      'real_time 429 limit_exceeded parlance-rt-1 ',
      'async 429 limit_exceeded stt-async-v5 ',
    ]);
  });

  it('is in the logs: of a person in the console, and of a temporary key', async () => {
    const credential = `Bearer ${JSON.stringify({ type: 'jwt', project_id: ada.projectId, token: ada.access })}`;
    const { call: asAda } = speechClient(() => ({ url: server.url, authorization: credential }));
    await asAda('POST', '/transcriptions', { model: 'nope' });
    await live({ api_key: await liveKey(server, ada), model: 'nope' });
    expect((await logs()).logs.map(({ kind, key: of, person }) => [kind, of, person])).toEqual([
      ['real_time', null, ada.email],
      ['async', null, ada.email],
    ]);
  });

  it('SEC-09: leaves nothing where a stranger sends it, and where the project is not theirs', async () => {
    const eve = await server.createUser();
    const credential = `Bearer ${JSON.stringify({ type: 'jwt', project_id: ada.projectId, token: eve.access })}`;
    const { call: asEve } = speechClient(() => ({ url: server.url, authorization: credential }));
    expect((await asEve('POST', '/transcriptions', { model: 'nope' })).status).toBe(404);
    await server.speech.refusedLog.flush();
    expect((await logs()).logs).toEqual([]);
  });

  it('is in the logs: a budget, and what was only listed is not', async () => {
    await setLimit(server, ada, 'project', 'budget_micros', 0);
    expect((await post()).status).toBe(402);
    expect((await call('GET', `/transcriptions/${randomUUID()}`)).status).toBe(404);
    expect(await told()).toEqual(['async 402 project_monthly_budget_exhausted stt-async-v5 ']);
  });

  it('is in a download, by status, and in one order with what ended', async () => {
    await call('POST', '/transcriptions', { model: 'nope' });
    await finish(await begin(server, { api_key: key.key }));
    await call('POST', '/transcriptions', { model: 'nope', client_reference_id: '=1' });
    const { logs: all } = await logs();
    expect(all.map(({ status }) => status)).toEqual(['refused', 'completed', 'refused']);
    const first = await logs({ limit: '2' });
    const rest = await logs({ limit: '2', cursor: first.next_page_cursor ?? '' });
    expect([...first.logs, ...rest.logs]).toEqual(all);
    expect([
      (await logs({ status: 'completed' })).logs.length,
      (await logs({ status: 'refused' })).logs.length,
    ]).toEqual([1, 2]);
    const file = await server.call(ada, 'GET', `${projectOf(ada)}logs/export/?format=csv&status=refused`);
    const [head = '', ...lines] = (await file.text()).trimEnd().split('\r\n');
    expect(head).toMatch(/,error_code,error_message,requests$/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/,model_not_available,,,,,400,Invalid model specified\.,1$/);
  });

  it('counts in the error rate of its model and of all, and in no other figure; the books are right', async () => {
    await finish(await begin(server, { api_key: key.key }));
    await live({ api_key: key.key, language_hints: ['ja'] });
    await live({ api_key: key.key, model: 'nope' });
    const { all, series } = await metrics();
    expect([all.requests, all.errors, all.refused]).toEqual([[1], [0], [2]]);
    expect(series).toMatchObject([{ model: 'parlance-rt-1', requests: [1], errors: [0], refused: [1] }]);
    await expectRight(server.services.db);
    const now = server.services.clock().getTime();
    const at = (ms: number): string => new Date(now + ms).toISOString();
    const window = { start_time: at(-3_600_000), end_time: at(3_600_000) };
    const usage = await call('GET', `/usage-logs?${new URLSearchParams(window).toString()}`);
    expect(v.parse(UsageLogPage, await usage.json()).usage_logs).toHaveLength(1);
  });

  it('leaves one row where a session that had a place fails, and none for a wrong key', async () => {
    const client = await begin(server, { api_key: key.key });
    client.socket.send('not audio');
    const { request_id } = await failure(client);
    expect((await failure(await begin(server, { api_key: `${key.key}x` }))).error_code).toBe(401);
    expect((await failure(await begin(server, { api_key: `${key.key}x`, sample_rate: 1 }))).error_code).toBe(400);
    // What is refused later is noted later.
    await live({ api_key: key.key, model: 'nope' });
    expect((await logs()).logs.map((entry) => [entry.request_id === request_id, entry.status])).toEqual([
      [false, 'refused'],
      [true, 'failed'],
    ]);
  });

  it('goes with the usage of its month, and with its project', async () => {
    await call('POST', '/transcriptions', { model: 'nope' });
    expect((await logs()).logs).toHaveLength(1);
    const { db } = server.services;
    const now = server.services.clock();
    const sweep = (before: Date) => removeOldUsage({ db, now, before, batch: 10, isStopped: () => false });
    await sweep(now);
    expect((await logs()).logs).toHaveLength(1);
    await db
      .updateTable('refused_requests')
      .set({ refused_at: new Date(now.getTime() - 40 * 86_400_000) })
      .execute();
    await sweep(now);
    expect((await logs()).logs).toHaveLength(0);
    await call('POST', '/transcriptions', { model: 'nope' });
    await server.speech.refusedLog.flush();
    await db.deleteFrom('projects').where('id', '=', ada.projectId).execute();
    const rows = await db.selectFrom('refused_requests').where('project_id', '=', ada.projectId).select('id').execute();
    expect(rows).toEqual([]);
  });
});

describe('LOG-15: the settings of a refused request, and of a live session that failed', () => {
  const SECRET = 'hush';
  const SETTINGS = {
    language_hints: ['ja'],
    enable_speaker_diarization: true,
    translation: { type: 'one_way', target_language: 'de' },
  };

  it('are kept as they were sent, without addresses and secrets; the recording while it is there', async () => {
    const { id } = await stored();
    await call('POST', '/transcriptions', {
      ...SETTINGS,
      model: 'nope',
      file_id: id,
      enable_language_identification: null,
      webhook_url: `https://example.com/?key=${SECRET}`,
      webhook_auth_header_name: SECRET,
      webhook_auth_header_value: SECRET,
      unknown: SECRET,
      context: { terms: [SECRET] },
    });
    const kept = {
      ...SETTINGS,
      model: 'nope',
      file_id: id,
      enable_language_identification: null,
      left_out: ['context', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value'],
    };
    expect(await asked()).toMatchObject(kept);
    const { rows } = await sql`select * from refused_requests`.execute(server.services.db);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    expect(await statusOf('DELETE', `/files/${id}`)).toBe(204);
    expect(await asked()).toEqual(expect.objectContaining({ ...kept, file_id: null }));
  });

  const having = (kept: object): unknown => expect.objectContaining(kept);
  it.each<[string, unknown, unknown]>([
    [
      'values of another form are named',
      { model: 7, language_hints: 'en' },
      having({ model: null, language_hints: null, left_out: ['model', 'language_hints'] }),
    ],
    ['text is kept that the database has no sign for', { model: 'a\0\ud800' }, having({ model: 'a\0\ud800' })],
    ['of what is no object there are none', '[1]', null],
  ])('%s', async (_, body, kept) => {
    await call('POST', '/transcriptions', body);
    expect(await asked()).toEqual(kept);
  });

  it('are not for those who may not use the playground', async () => {
    await call('POST', '/transcriptions', { ...SETTINGS, model: 'nope' });
    const billing = await colleague(server, ada, 'billing');
    expect([await asked(), await asked(billing)]).toMatchObject([SETTINGS, null]);
  });

  it('are kept of live sessions: refused, and failed after they began, with the message', async () => {
    const start = { ...SETTINGS, enable_endpoint_detection: true };
    await live({ api_key: key.key, ...start });
    expect(await asked()).toMatchObject({ ...start, model: 'parlance-rt-1', left_out: [] });

    const client = await begin(server, { api_key: key.key, enable_speaker_diarization: true });
    client.socket.send('not audio');
    const { error_message } = await failure(client);
    await eventually(async () => expect((await logs({ status: 'failed' })).logs).toHaveLength(1));
    const [failed] = (await logs({ status: 'failed' })).logs;
    expect(await details(failed?.id ?? '')).toMatchObject({
      error_message,
      request: { model: 'parlance-rt-1', enable_speaker_diarization: true },
    });
    await finish(await begin(server, { api_key: key.key, enable_speaker_diarization: true }));
    const [completed] = (await logs({ status: 'completed' })).logs;
    expect((await details(completed?.id ?? '')).request).toBeNull();
  });
});

describe('LOG-11: the log of refused requests', () => {
  /** A log with time of its own, and what it tells the log of the server. */
  const logOf = (db = server.services.db) => {
    const timers = createFakeClock();
    const told: unknown[] = [];
    const log = { ...server.services.log, error: (...line: unknown[]) => void told.push(line) };
    const parts = { ...server.services, db, log, timers, clock: () => new Date(timers.now()) };
    return { timers, told, refused: new RefusedLog(parts) };
  };
  const refusedNow = (of: Partial<RefusedRequest> = {}): RefusedRequest => ({
    requestId: randomUUID(),
    caller: { projectId: ada.projectId, origin: 'public_api', apiKeyId: null, userId: null },
    kind: 'async',
    model: 'm',
    clientReferenceId: null,
    asked: null,
    code: 400,
    type: 'invalid_request',
    message: 'Invalid request.',
    ...of,
  });
  const counts = async (): Promise<number[]> => {
    const rows = await server.services.db
      .selectFrom('refused_requests')
      .select('requests')
      .where('project_id', '=', ada.projectId)
      .orderBy('position')
      .execute();
    return rows.map(({ requests }) => requests);
  };

  it('gives a fast client few rows, and counts the rest; one more a minute; each error has its own', async () => {
    const { refused, timers } = logOf();
    for (let n = 0; n < 1000; n += 1) refused.note(refusedNow());
    refused.note(refusedNow({ type: 'file_not_found' }));
    await refused.flush();
    const single = Array.from({ length: ROWS_AT_ONCE - 1 }, () => 1);
    expect(await counts()).toEqual([...single, 1000 - single.length, 1]);
    timers.advance(59_999);
    refused.note(refusedNow());
    timers.advance(1);
    refused.note(refusedNow());
    refused.note(refusedNow());
    await refused.flush();
    expect(await counts()).toEqual([...single, 1001 - single.length, 1, 2]);
  });

  it('writes what it counted after a few seconds, also if nothing more comes', async () => {
    const { refused, timers } = logOf();
    for (let n = 0; n < ROWS_AT_ONCE; n += 1) refused.note(refusedNow());
    await refused.flush();
    refused.note(refusedNow());
    timers.advance(5000);
    await eventually(async () => expect((await counts()).at(-1)).toBe(2));
  });

  it('writes one that is noted while counts are written, also if nothing more comes', async () => {
    const { promise: held, resolve: release } = deferred();
    let isCounting = false;
    let isHeld = false;
    const { refused, timers } = logOf(
      server.services.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          isCounting = isHeld;
          if (isHeld) await held;
          return result;
        },
      }),
    );
    for (let n = 0; n < ROWS_AT_ONCE; n += 1) refused.note(refusedNow());
    await refused.flush();
    isHeld = true;
    refused.note(refusedNow());
    timers.advance(5000);
    await expect.poll(() => isCounting).toBe(true);
    isHeld = false;
    refused.note(refusedNow({ type: 'file_not_found' }));
    release();
    await eventually(async () => expect((await counts()).slice(-2)).toEqual([2, 1]));
  });

  it('tells the pages of its project once of what it counted', async () => {
    const { refused, timers } = logOf();
    for (let n = 0; n < ROWS_AT_ONCE; n += 1) refused.note(refusedNow());
    for (let n = 0; n < ROWS_AT_ONCE; n += 1) refused.note(refusedNow({ type: 'file_not_found' }));
    await refused.flush();
    const heard: string[] = [];
    const mark = `seen-${randomUUID()}`;
    const stop = await server.services.database.listen('console_events', (payload) => heard.push(payload ?? ''));
    refused.note(refusedNow());
    refused.note(refusedNow({ type: 'file_not_found' }));
    timers.advance(5000);
    await refused.flush();
    await sql`select pg_notify('console_events', ${mark})`.execute(server.services.db);
    await expect.poll(() => heard).toContain(mark);
    stop();
    const notices = heard.filter((text) => text !== mark).map((text): unknown => JSON.parse(text));
    expect(notices).toEqual([{ type: 'log.added', project_uuid: ada.projectId }]);
  });

  it('takes any text of a client, and skips a project that is gone', async () => {
    const { refused, told } = logOf();
    const gone = { ...refusedNow().caller, projectId: randomUUID() };
    refused.note(refusedNow({ caller: gone }));
    refused.note(refusedNow({ model: `\0\ud800${'x'.repeat(5000)}`, message: 'y'.repeat(5000) }));
    refused.note(refusedNow({ caller: { ...refusedNow().caller, userId: randomUUID() } }));
    await refused.flush();
    expect([await counts(), told]).toEqual([[1, 1], []]);
  });

  it('tells a failure to the log of the server, and goes on', async () => {
    const { refused, told } = logOf();
    refused.note(refusedNow({ code: 1e9 }));
    await refused.flush();
    expect(told).toMatchObject([[{ err: expect.any(Error) }, 'refused requests are not in the logs']]);
    refused.note(refusedNow());
    await refused.flush();
    expect(await counts()).toEqual([1]);
  });
});
