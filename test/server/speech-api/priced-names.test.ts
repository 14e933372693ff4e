/** What is charged for a model that is asked for by another name, from the reservation to the end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcription } from '#contract/transcriptions.ts';
import { costOfRequest } from '#server/money/usage/rows.ts';
import { eventually } from '../eventually.ts';
import type { TestUser } from '../harness.ts';
import { consoleClient } from './client.ts';
import { liveKey, startSpeechServer, type SpeechServer } from './harness.ts';
import { finish, heard } from './live/live-client.ts';

/** A minute of what a live session reserves, and the 10 ms that it hears, at 36 USD an hour; micro-USD. */
const [MINUTE, HEARD] = [600_000, 100];
const SECOND_OF_FILE = 20_000;

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  const SPEECH_PRICES = 'async=0.10,live=0.12,stt-rt-v5=36,parlance-rt-1=3.6,parlance-async-1=72';
  server = await startSpeechServer({ engine: { auto: true }, server: { env: { SPEECH_PRICES } } });
  user = await server.createUser();
});
afterAll(() => server.close());
const { create, reaches } = consoleClient(() => ({ server, user }));

/** Of a live session: what it reserves, what it costs, and what the logs and reports call its model. */
async function stream(model: string) {
  const { db } = server.services;
  const client = await heard(server, { api_key: await liveKey(server, user), model });
  const { id, reserved_micros } = await db
    .selectFrom('live_sessions')
    .select(['id', 'reserved_micros'])
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  await finish(client);
  const row = await eventually(async () =>
    db.selectFrom('usage_rows').select('model').where('id', '=', id).executeTakeFirstOrThrow(),
  );
  return { reserved: Number(reserved_micros), cost: await costOfRequest(db, id), model: row.model };
}

describe('MET-12: a name that is asked for', () => {
  it('of a live session is charged by its own price, and told as the model behind it', async () => {
    expect(await stream('stt-rt-v5')).toEqual({ reserved: MINUTE, cost: HEARD, model: 'parlance-rt-1' });
  });

  it('without a price is charged by that of the model behind it, live', async () => {
    expect(await stream('stt-rt-v4')).toEqual({ reserved: MINUTE / 10, cost: HEARD / 10, model: 'parlance-rt-1' });
    expect(await stream('parlance-rt-1')).toEqual({ reserved: MINUTE / 10, cost: HEARD / 10, model: 'parlance-rt-1' });
  });

  it('and for files', async () => {
    const costs: Transcription['cost_usd'][] = [];
    for (const model of ['stt-async-v5', 'parlance-async-1']) {
      const { id } = await create({ model });
      const { cost_usd } = await reaches(id, 'completed');
      costs.push(cost_usd);
    }
    expect(costs).toEqual([String(SECOND_OF_FILE / 1e6), String(SECOND_OF_FILE / 1e6)]);
  });
});
