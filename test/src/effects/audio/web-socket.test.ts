import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket as NodeSocket, WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import type { WebSocketEvent } from '#machines/playground/stream/socket/actors.ts';
import { createWebSocket } from '#src/effects/audio/webSocket.ts';
import { noted } from '../../noted.ts';

const FIRST = { model: 'stt-rt', audio_format: 's16le', sample_rate: 48_000, num_channels: 1, api_key: 'key-1' };

/** A live server; `onText` is told of each text frame. */
async function liveServer(onText: (text: string, socket: ServerSocket) => void = () => undefined) {
  const heard: (string | number)[] = [];
  const closes: number[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer, isBinary) => {
      heard.push(isBinary ? data.byteLength : data.toString());
      if (!isBinary) onText(data.toString(), socket);
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

/** The effect, told to connect; what the chart makes of its events is in test/machines. */
function connect(address: string) {
  let opening: NodeSocket | undefined;
  // The browser's WebSocket and this one agree in all that is used.
  const createSocket = (url: string) => (opening = new NodeSocket(url)) as unknown as WebSocket;
  const { said, types, actor, stop } = noted<WebSocketEvent>(createWebSocket({ address: () => address, createSocket }));
  onTestFinished(stop);
  actor.send({ type: 'webSocket.connect', firstFrame: FIRST });
  return { said, types, actor, stop, readyState: () => opening?.readyState };
}

/** What is told of the frame that a server answers the first one with. */
async function toldOf(frame: string | Buffer): Promise<unknown> {
  const { address } = await liveServer((_, socket) => socket.send(frame));
  const { said } = connect(address);
  await vi.waitFor(() => expect(said).toHaveLength(2));
  return said[1];
}

describe('the WebSocket of a live session', () => {
  it('LIV-14 LIV-15: the first frame goes first, then each message as it is', async () => {
    const { address, heard } = await liveServer((text, socket) => {
      if (text === '') socket.close(1000, 'done');
    });
    const { actor, said } = connect(address);
    await vi.waitFor(() => expect(said).toEqual([{ type: 'webSocket.opened' }]));
    actor.send({ type: 'webSocket.send', messages: [new ArrayBuffer(10), '{"type":"finalize"}'] });
    actor.send({ type: 'webSocket.send', messages: [''] });
    await vi.waitFor(() => expect(said.at(-1)).toEqual({ type: 'webSocket.closed', code: 1000, reason: 'done' }));
    expect(heard).toEqual([JSON.stringify(FIRST), 10, '{"type":"finalize"}', '']);
  });

  it('ERR-05: results and failures are told as what they are', async () => {
    const result = { tokens: [{ text: ' hi', is_final: true }], total_audio_proc_ms: 120 };
    expect(await toldOf(JSON.stringify(result))).toEqual({ type: 'result.received', result });
    const failure = { error_code: 400, error_message: 'Bad model.', error_type: 'invalid_model', request_id: 'r' };
    expect(await toldOf(JSON.stringify(failure))).toMatchObject({ type: 'failure.received', failure });
  });

  it.each([{ error_type: 7 }, { error_code: '400' }, { request_id: 1 }, { tokens: 'none' }])(
    'ERR-05: an error frame keeps its message though %j is of another type',
    async (odd) => {
      expect(await toldOf(JSON.stringify({ error_message: 'No.', error_type: 'no', ...odd }))).toMatchObject({
        type: 'failure.received',
        failure: { error_message: 'No.' },
      });
    },
  );

  it.each([
    [{ name: 'budget_micros', of: 'project' }, { limit: { name: 'budget_micros', of: 'project' } }],
    ['10 a second', { limit: undefined }],
  ])(
    'EST-07 API-05: the limit %j of a failure is kept where it is known, and costs nothing else',
    async (limit, kept) => {
      const failure = { error_code: 402, error_type: 'no_money', error_message: 'No money.' };
      expect(await toldOf(JSON.stringify({ tokens: [], ...failure, limit }))).toMatchObject({
        type: 'failure.received',
        failure: { ...failure, ...kept },
      });
    },
  );

  it.each([
    ['no JSON', 'oops'],
    ['of another shape', '{"tokens":[{"text":1}]}'],
    ['binary', Buffer.from([1, 2])],
  ])('API-05: a frame that is %s is told as unreadable', async (_, frame) => {
    expect(await toldOf(frame)).toEqual({ type: 'unreadable.received' });
  });

  it('ERR-05: a server that cannot be reached is told first', async () => {
    const { types } = connect('ws://127.0.0.1:1/');
    await vi.waitFor(() => expect(types()[0]).toBe('webSocket.failed'));
  });

  it('is closed with 1000 when it ends, is silent afterwards, and never opens if it ends before', async () => {
    const { address, closes, heard } = await liveServer();
    const { said, stop } = connect(address);
    await vi.waitFor(() => expect(said).toHaveLength(1));
    stop();
    await vi.waitFor(() => expect(closes).toEqual([1000]));
    expect(said).toEqual([{ type: 'webSocket.opened' }]);
    const early = connect(address);
    early.stop();
    await vi.waitFor(() => expect(early.readyState()).toBe(3));
    expect([early.said, heard.length]).toEqual([[], 1]);
  });
});
