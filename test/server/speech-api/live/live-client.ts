import * as v from 'valibot';
import { expect } from 'vitest';
import { LiveFailure } from '#contract/live.ts';
import type { FakeStream } from '../../fake-engine.ts';
import type { TestServer } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { connectLive, type LiveClient, type SpeechServer } from '../harness.ts';

/** A start request without its key. */
export const CONFIG = { model: 'parlance-rt-1', audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };

type Connection = Parameters<typeof connectLive>[1];

/** Connects and sends a start request; a text is sent as it is. */
export const begin = async (server: TestServer, config: object | string, options?: Connection): Promise<LiveClient> => {
  const client = connectLive(server, options);
  await client.opened;
  client.socket.send(typeof config === 'string' ? config : JSON.stringify({ ...CONFIG, ...config }));
  return client;
};

/** A stream that an engine which answers by itself has heard 10 ms of. */
export const heard = async (server: TestServer, config: object, options?: Connection): Promise<LiveClient> => {
  const client = await begin(server, config, options);
  client.socket.send(Buffer.alloc(320));
  await eventually(() => expect(client.frames).toHaveLength(1));
  return client;
};

/** A client with its stream at an engine that answers when told to. */
export const talk = async (
  server: SpeechServer,
  config: object,
): Promise<{ client: LiveClient; stream: FakeStream }> => {
  const before = server.engine.streams.length;
  const client = await begin(server, config);
  const stream = await eventually(() => {
    expect(server.engine.streams).toHaveLength(before + 1);
    return server.engine.streams[before]!;
  });
  return { client, stream };
};

/** The error frame that a session ends with; the close is a normal one. */
export const failure = async (client: LiveClient): Promise<LiveFailure> => {
  expect(await client.closed).toBe(1000);
  const last = v.parse(LiveFailure, client.frames.at(-1));
  expect(last.request_id).toMatch(/^[\w-]{36}$/);
  return last;
};

/** The same in one text. */
export const refusal = async (client: LiveClient): Promise<string> => {
  const { error_code, error_type, reason, error_message } = await failure(client);
  return `${error_code} ${error_type}${reason === undefined ? '' : ` ${reason}`}: ${error_message}`;
};

/** Sends the end and waits for the orderly close. */
export const finish = async (client: LiveClient): Promise<void> => {
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  expect(client.frames.at(-1)).toMatchObject({ tokens: [], finished: true });
};
