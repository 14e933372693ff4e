/** What an entry of refused requests says: the fields at fault, the calls it is of, and the names of what it counts. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LogPage, type LogEntry } from '#contract/logs.ts';
import { Metrics } from '#contract/metrics.ts';
import { ROWS_AT_ONCE } from '#server/money/logs/refused.ts';
import type { TestUser } from '../harness.ts';
import { projectOf } from '../people.ts';
import { writeUsage, ended } from '../usage.ts';
import { speechClient } from './client.ts';
import { projectKey, startSpeechServer, type ProjectKey, type SpeechServer } from './harness.ts';

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

const { call, upload } = speechClient(() => ({ url: server.url, authorization: `Bearer ${key.key}` }));
async function page(query: Record<string, string> = {}): Promise<LogPage> {
  await server.speech.refusedLog.flush();
  const path = `${projectOf(ada)}logs/?${new URLSearchParams(query).toString()}`;
  return v.parse(LogPage, await (await server.call(ada, 'GET', path)).json());
}
const latest = async (): Promise<LogEntry> => {
  const [entry] = (await page()).logs;
  if (!entry) throw new Error('Nothing was refused.');
  return entry;
};

describe('LOG-10: the message of a refused request', () => {
  it('has each field with its reason, as the answer has, and no value of a secret', async () => {
    await call('POST', '/transcriptions', {
      model: 'stt-async-v5',
      file_id: 'mine',
      enable_speaker_diarization: 'yes',
    });
    expect((await latest()).refusal?.message).toBe(
      'Invalid request. file_id: Invalid UUID: Received "mine"; ' +
        'enable_speaker_diarization: Invalid type: Expected boolean but received "yes"',
    );
    await call('POST', '/transcriptions', { model: 'stt-async-v5', webhook_auth_header_value: 123_456 });
    expect((await latest()).refusal?.message).toBe('Invalid request. webhook_auth_header_value: Invalid value');
    await call('POST', '/transcriptions', '{');
    expect((await latest()).refusal?.message).toBe('Invalid request. body: The body must be valid JSON.');
    // Said once where the message says it.
    await call('POST', '/transcriptions', { model: 'nope' });
    expect((await latest()).refusal?.message).toBe('Invalid model specified.');
  });

  it('is cut where there are very many', async () => {
    const hints = Array.from({ length: 60 }, () => 5);
    await call('POST', '/transcriptions', { model: 'stt-async-v5', language_hints: hints });
    expect((await latest()).refusal?.message).toHaveLength(500);
  });
});

describe('LOG-10: a refused upload, and a live session that is not kept', () => {
  it('are in the logs, of files and of live sessions', async () => {
    expect((await upload({}, 'talk.wav', 'sound')).status).toBe(400);
    expect((await call('POST', '/transcriptions/live', { model: 'nope' })).status).toBe(400);
    const session = { model: 'nope', filename: 'Microphone', audio_duration_ms: 1, tokens: [{ text: 'Hi' }] };
    expect((await call('POST', '/transcriptions/live', session)).status).toBe(400);
    const { logs } = await page();
    expect(logs.map(({ kind, error_type, model, refusal }) => [kind, error_type, model, refusal?.code])).toEqual([
      ['real_time', 'model_not_available', 'nope', 400],
      ['real_time', 'invalid_request', 'nope', 400],
      ['async', 'invalid_request', null, 400],
    ]);
    expect(logs.at(-1)?.refusal?.message).toBe('Invalid request. file.file: Field required');
  });

  it('leave nothing where their client has left before the answer', async () => {
    const sent = request(`${server.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'multipart/form-data; boundary=x' },
    });
    sent.on('error', () => {});
    sent.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF');
    const rows = () =>
      server.services.db
        .selectFrom('upload_reservations')
        .where('project_id', '=', ada.projectId)
        .select('project_id')
        .execute();
    await expect.poll(rows).toHaveLength(1);
    sent.destroy();
    await expect.poll(rows).toHaveLength(0);
    await upload({}, 'talk.wav', 'sound');
    expect((await page()).logs).toHaveLength(1);
  });
});

describe('LOG-11: an entry that counts requests with different names', () => {
  const burst = async (of: (nth: number) => object) => {
    for (let nth = 0; nth < ROWS_AT_ONCE + 3; nth += 1)
      await call('POST', '/transcriptions', { file_id: randomUUID(), ...of(nth) });
  };

  it('says that they are several, and has none of them', async () => {
    await burst((nth) => ({ model: `nope-${nth}`, client_reference_id: `call-${nth}` }));
    expect(await latest()).toMatchObject({
      model: null,
      client_reference_id: null,
      refusal: { requests: 4, several_models: true, several_references: true },
    });
    // All count, with a model or without.
    const today = server.services.clock().toISOString().slice(0, 10);
    const path = `${projectOf(ada)}metrics/?start_date=${today}&end_date=${today}`;
    const { all } = v.parse(Metrics, await (await server.call(ada, 'GET', path)).json());
    expect(all.refused).toEqual([ROWS_AT_ONCE + 3]);
  });

  it('keeps what they share', async () => {
    await burst((nth) => ({ model: 'nope', client_reference_id: `call-${nth}` }));
    expect(await latest()).toMatchObject({
      model: 'nope',
      client_reference_id: null,
      refusal: { requests: 4, several_models: false, several_references: true },
    });
  });

  it('has no model where all name none, or an empty one', async () => {
    await burst((nth) => (nth % 2 === 0 ? { model: '' } : { model: '', client_reference_id: '' }));
    expect(await latest()).toMatchObject({
      model: null,
      client_reference_id: null,
      refusal: { requests: 4, several_models: false, several_references: false },
    });
  });
});

describe('LOG-02: a model that only refused requests name', () => {
  it('is no choice, but an address that names it filters by it; one that ended counts its refused requests', async () => {
    await writeUsage(server.services.db, [
      ended({ project_id: ada.projectId, ended_at: server.services.clock(), model: 'stt-async-v5' }),
    ]);
    await call('POST', '/transcriptions', { model: 'x'.repeat(90) });
    await call('POST', '/transcriptions', { model: 'stt-async-v5', file_id: randomUUID() });
    const { choices } = await page();
    expect(choices?.models).toEqual([{ model: 'stt-async-v5', requests: 2 }]);
    expect(choices?.errors).toHaveLength(2);
    expect((await page({ model: 'x'.repeat(90) })).logs).toHaveLength(1);
  });
});
