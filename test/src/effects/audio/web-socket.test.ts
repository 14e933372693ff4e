import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket as NodeSocket, WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { fromPromise } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { socketMachine } from '#machines/playground/stream/socket/machine.ts';
import { createWebSocket } from '#src/effects/audio/webSocket.ts';
import { underParent } from '#test/machines/playground-fixtures.ts';

const CONFIG = { model: 'stt-rt', audio_format: 's16le', sample_rate: 48_000, num_channels: 1 };
const samples = (bytes: number) => new ArrayBuffer(bytes);

type Heard = { text?: string; bytes?: number };

/** A live server; `onText` is told of each text frame. */
async function liveServer(onText: (text: string, socket: ServerSocket) => void = () => undefined) {
  const heard: Heard[] = [];
  const closes: number[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) heard.push({ bytes: data.byteLength });
      else {
        heard.push({ text: data.toString() });
        onText(data.toString(), socket);
      }
    });
    socket.on('close', (code) => closes.push(code));
  });
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/transcribe-websocket`, heard, closes };
}

type Setting = { address: string; temporaryKey?: () => Promise<string>; createSocket?: (address: string) => WebSocket };

/** The chart with its WebSocket, which is asked to connect. */
function openSocket({ address, temporaryKey = () => Promise.resolve('key-1'), createSocket }: Setting) {
  const fetchKey = fromPromise<{ api_key: string }, void>(async () => ({ api_key: await temporaryKey() }));
  const webSocket = createWebSocket({
    address: () => address,
    // The browser's WebSocket and this one agree in all that is used.
    createSocket: createSocket ?? ((url) => new NodeSocket(url) as unknown as WebSocket),
  });
  const { child, told, stop } = underParent(socketMachine.provide({ actors: { fetchKey, webSocket } }), undefined);
  onTestFinished(stop);
  child.send({ type: 'connect.requested', config: CONFIG });
  return { actor: child, said: told, stop, types: () => told.map(({ type }) => type) };
}

describe('the live socket', () => {
  it('LIV-14 LIV-15: the config with the fetched key goes first, then audio, finalize, and an empty frame', async () => {
    const { address, heard } = await liveServer((text, socket) => {
      if (text === '') socket.close(1000, 'done');
    });
    const { actor, said } = openSocket({ address });
    actor.send({ type: 'audio.chunk', pcm: samples(10) });
    await vi.waitFor(() => expect(said).toEqual([{ type: 'socket.opened' }]));
    actor.send({ type: 'audio.chunk', pcm: samples(20) });
    actor.send({ type: 'finalize.requested' });
    actor.send({ type: 'audio.ended' });
    await vi.waitFor(() => expect(said.at(-1)).toEqual({ type: 'socket.closed', code: 1000, reason: 'done' }));
    expect(JSON.parse(heard[0]?.text ?? '')).toEqual({ ...CONFIG, api_key: 'key-1' });
    expect(heard.slice(1)).toEqual([{ bytes: 10 }, { bytes: 20 }, { text: '{"type":"finalize"}' }, { text: '' }]);
    expect(JSON.stringify(said)).not.toContain('key-1');
  });

  it('LIV-13: cuts chunks at 60000 bytes', async () => {
    const { address, heard } = await liveServer();
    const { actor } = openSocket({ address });
    actor.send({ type: 'audio.chunk', pcm: samples(130_000) });
    await vi.waitFor(() => expect(heard.slice(1)).toEqual([{ bytes: 60_000 }, { bytes: 60_000 }, { bytes: 10_000 }]));
  });

  it('LIV-13: 100 messages wait for the socket, one more is too many', () => {
    const { actor, said } = openSocket({
      address: 'ws://127.0.0.1:1/',
      temporaryKey: () => new Promise(() => undefined),
    });
    for (let i = 0; i < 100; i++) actor.send({ type: 'audio.chunk', pcm: samples(2) });
    expect(said).toEqual([]);
    actor.send({ type: 'audio.chunk', pcm: samples(2) });
    actor.send({ type: 'audio.chunk', pcm: samples(2) });
    expect(said).toEqual([
      { type: 'socket.refused', error: { code: 'queue_overflow', message: 'max queuedMessages size exceeded' } },
    ]);
  });

  it('LIV-04: an end before the socket is open closes it with 1000, also when it never connected', async () => {
    const early = openSocket({ address: 'ws://127.0.0.1:1/', temporaryKey: () => new Promise(() => undefined) });
    early.actor.send({ type: 'audio.ended' });
    expect(early.said).toEqual([{ type: 'socket.closed', code: 1000, reason: '' }]);
    const { address, heard } = await liveServer();
    let opening: WebSocket | undefined;
    const late = openSocket({
      address,
      createSocket: (url) => {
        queueMicrotask(() => late.actor.send({ type: 'audio.ended' }));
        opening = new NodeSocket(url) as unknown as WebSocket;
        return opening;
      },
    });
    await vi.waitFor(() => expect(opening?.readyState).toBe(3));
    expect(late.said).toEqual([{ type: 'socket.closed', code: 1000, reason: '' }]);
    expect(heard).toEqual([]);
  });

  it('ERR-05: passes results on, and takes an error frame for the end', async () => {
    const result = { tokens: [{ text: ' hi', is_final: true }], total_audio_proc_ms: 120 };
    const refusal = {
      error_code: 400,
      error_message: '<b>Bad</b> model.',
      error_type: 'invalid_model',
      request_id: 'r',
    };
    const { address } = await liveServer((_, socket) => {
      for (const frame of [result, refusal, result]) socket.send(JSON.stringify(frame));
      socket.close(1011);
    });
    const { said, types } = openSocket({ address });
    await vi.waitFor(() => expect(types()).toEqual(['socket.opened', 'socket.received', 'socket.refused']));
    expect(said[1]).toEqual({ type: 'socket.received', result });
    expect(said[2]).toEqual({ type: 'socket.refused', error: { code: 'invalid_model', message: 'Bad model.' } });
  });

  it.each([{ error_type: 7 }, { error_code: '400' }, { request_id: 1 }, { tokens: 'none' }])(
    'ERR-05: an error frame keeps its message though %j is of another type',
    async (odd) => {
      const { address } = await liveServer((_, socket) =>
        socket.send(JSON.stringify({ error_message: 'No.', error_type: 'no', ...odd })),
      );
      const { said } = openSocket({ address });
      const error = expect.objectContaining({ message: 'No.' });
      await vi.waitFor(() => expect(said.at(-1)).toEqual({ type: 'socket.refused', error }));
    },
  );

  it.each([
    [{ name: 'budget_micros', of: 'project' }, { limit: { name: 'budget_micros', of: 'project' } }],
    ['10 a second', {}],
  ])(
    'EST-07 API-05: the limit %j of an error frame is kept where it is known, and costs nothing else',
    async (limit, kept) => {
      const frame = { tokens: [], error_code: 402, error_type: 'no_money', error_message: 'No money.', limit };
      const { address } = await liveServer((_, socket) => socket.send(JSON.stringify(frame)));
      const { said } = openSocket({ address });
      const error = { code: 'no_money', message: 'No money.', ...kept };
      await vi.waitFor(() => expect(said.at(-1)).toEqual({ type: 'socket.refused', error }));
    },
  );

  it.each([
    ['no JSON', 'oops'],
    ['of another shape', '{"tokens":[{"text":1}]}'],
    ['binary', Buffer.from([1, 2])],
  ])('API-05: a frame that is %s is an error, not a crash', async (_, frame) => {
    const { address } = await liveServer((_text, socket) => socket.send(frame));
    const { said, types } = openSocket({ address });
    await vi.waitFor(() => expect(types()).toEqual(['socket.opened', 'socket.refused']));
    expect(said[1]).toMatchObject({
      error: {
        code: 'websocket_error',
        message: 'WebSocket error occurred.',
        detail: 'The server sent a message that cannot be read.',
      },
    });
  });

  it('ERR-05: a server that cannot be reached fails the socket, once', async () => {
    const { said } = openSocket({ address: 'ws://127.0.0.1:1/' });
    await vi.waitFor(() => expect(said).toEqual([{ type: 'socket.failed' }]));
  });

  it('LIV-14: a key that is refused ends the session before it connects', async () => {
    const refusal = {
      message: 'No balance.',
      requestId: 'req-3',
      limit: { name: 'balance', of: 'organization' },
    } as const;
    const temporaryKey = () =>
      Promise.reject(new CallError({ ...refusal, kind: 'HTTP', status: 500, errorType: 'balance_empty' }));
    const createSocket = vi.fn<(address: string) => WebSocket>();
    const { said } = openSocket({ address: 'ws://127.0.0.1:1/', temporaryKey, createSocket });
    const error = { code: 'balance_empty', ...refusal };
    await vi.waitFor(() => expect(said).toEqual([{ type: 'socket.refused', error }]));
    expect(createSocket).not.toHaveBeenCalled();
  });

  it('closes the socket with 1000 when it is stopped, and is silent afterwards', async () => {
    const { address, closes } = await liveServer();
    const { said, stop } = openSocket({ address });
    await vi.waitFor(() => expect(said).toHaveLength(1));
    stop();
    await vi.waitFor(() => expect(closes).toEqual([1000]));
    expect(said).toEqual([{ type: 'socket.opened' }]);
  });
});

describe('a socket on which nothing comes', () => {
  it('is kept alive, and given up only after two silent looks', async () => {
    vi.useFakeTimers();
    const sent: unknown[] = [];
    const fake = {
      OPEN: 1,
      readyState: 1,
      send: (data: unknown) => void sent.push(data),
      close: vi.fn(),
    } as unknown as WebSocket;
    const { types } = openSocket({ address: 'ws://x.example/', createSocket: () => fake });
    await vi.advanceTimersByTimeAsync(0);
    fake.onopen?.(new Event('open'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent.slice(1)).toEqual(Array(4).fill('{"type":"keepalive"}'));
    await vi.advanceTimersByTimeAsync(53_000);
    expect(types()).toEqual(['socket.opened']);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(types()).toEqual(['socket.opened', 'socket.refused']);
    expect(fake.close).toHaveBeenCalledExactlyOnceWith(1000);
  });
});
