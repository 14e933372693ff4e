import * as v from 'valibot';
import { expect } from 'vitest';
import { LiveFailure } from '#contract/live.ts';
import { connectLive, type LiveClient, type SpeechServer } from '../harness.ts';

/** A start request without its key. */
export const CONFIG = { model: 'parlance-rt-1', audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };

/** Connects and sends a start request; a text is sent as it is. */
export const begin = async (
  server: SpeechServer,
  config: object | string,
  options?: Parameters<typeof connectLive>[1],
): Promise<LiveClient> => {
  const client = connectLive(server, options);
  await client.opened;
  client.socket.send(typeof config === 'string' ? config : JSON.stringify({ ...CONFIG, ...config }));
  return client;
};

/** The error frame that a session ends with; the close is a normal one. */
export const failure = async (client: LiveClient): Promise<LiveFailure> => {
  expect(await client.closed).toBe(1000);
  const last = v.parse(LiveFailure, client.frames.at(-1));
  expect(last.request_id).toMatch(/^[\w-]{36}$/);
  return last;
};

/** Sends the end and waits for the orderly close. */
export const finish = async (client: LiveClient): Promise<void> => {
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  expect(client.frames.at(-1)).toMatchObject({ tokens: [], finished: true });
};
