import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, connectLive, startSpeechServer, type SpeechServer } from './harness.ts';

describe('wrong keys from one address', () => {
  let own: SpeechServer;
  beforeAll(async () => {
    // Time stands still: on a slow machine attempts would be forgiven while others are made.
    const now = new Date();
    own = await startSpeechServer({ engine: { auto: true }, server: { overrides: { clock: () => now } } });
  });
  afterAll(() => own.close());

  it('too many → 429 with Retry-After, on the socket as well; good keys are never refused', async () => {
    const someone = await own.createUser();
    const attempt = (key: string): Promise<Response> => fetch(`${own.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const answers = [];
    for (let n = 0; n < 70; n += 1) answers.push(await attempt(`prl_${n}`));
    expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 401));
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const client = connectLive(own);
    await client.opened;
    client.socket.send(JSON.stringify({ model: 'parlance-rt-1', audio_format: 's16le', sample_rate: 16_000, num_channels: 1, api_key: 'prl_x' }));
    await client.closed;
    expect(client.frames).toEqual([expect.objectContaining({ error_code: 429, error_type: 'limit_exceeded' })]);
    expect((await call(own, someone, 'GET', '/models')).status).toBe(200);
    const { key } = await (await own.call(someone, 'POST', `/api/v2/projects/${someone.projectId}/api-keys/`, { name: 'CI' })).json();
    expect((await attempt(key)).status).toBe(200);
  });
});
