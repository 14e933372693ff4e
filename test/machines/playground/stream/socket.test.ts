import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromCallback, fromPromise, type AnyEventObject } from 'xstate';
import { QUEUED_MESSAGES_MAX } from '#contract/live.ts';
import { liveError, QUEUE_OVERFLOW, SERVER_SILENT, type LiveError } from '#machines/playground/live/errors.ts';
import type { SessionKey, WebSocketCommand, WebSocketEvent } from '#machines/playground/stream/socket/actors.ts';
import { socketMachine } from '#machines/playground/stream/socket/machine.ts';
import { answeringOf } from '#machines/playground/stream/socket/select.ts';
import { CallError } from '#machines/shared/failure.ts';
import { stopDevicesAndConnections } from '#machines/shared/holding.ts';
import { LIVE_LIMITS } from '#server/speech-api/live/limits.ts';
import { later } from '../../people.ts';
import { underParent } from '../../playground-fixtures.ts';

const CONFIG = { model: 'rt-1' };
const KEY = { api_key: 'key-1' };
const chunk = (bytes = 2) => ({ type: 'audio.chunk', pcm: new ArrayBuffer(bytes) }) as const;
const opened = { type: 'webSocket.opened' } satisfies WebSocketEvent;
const heard = {
  type: 'result.received',
  result: { tokens: [{ text: 'a', is_final: true }] },
} satisfies WebSocketEvent;

/** A socket whose key and WebSocket the test plays: `sent` is what the WebSocket got, `log` when it began and ended. */
function socket() {
  const key = later<SessionKey>();
  const sent: WebSocketCommand[] = [];
  const log: string[] = [];
  let from: (event: WebSocketEvent) => void = () => undefined;
  const under = underParent(
    socketMachine.provide({
      actors: {
        fetchKey: fromPromise<SessionKey, void>(({ signal }) => {
          signal.addEventListener('abort', () => log.push('key is dropped'));
          return key.promise;
        }),
        webSocket: fromCallback<WebSocketCommand, void>(({ sendBack, receive }) => {
          from = sendBack;
          receive((command) => void sent.push(command));
          return () => void log.push('webSocket ends');
        }),
      },
    }),
    undefined,
  );
  const { child } = under;
  const connecting = async () => {
    child.send({ type: 'connect.requested', config: CONFIG });
    key.resolve(KEY);
    await vi.waitFor(() => expect(child.getSnapshot().value).toEqual({ waiting: 'connecting' }));
  };
  return {
    ...under,
    key,
    sent,
    log,
    state: () => child.getSnapshot().value,
    webSocket: (event: WebSocketEvent) => from(event),
    connecting,
    open: async () => {
      await connecting();
      from(opened);
    },
    /** What was sent after the first frame. */
    messages: () => sent.flatMap((command) => (command.type === 'webSocket.send' ? command.messages : [])),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the socket of a live session', () => {
  it('LIV-14 LIV-15: key, connection, first frame, and then what has waited, in order', async () => {
    const { child, sent, messages, state, told, webSocket, connecting } = socket();
    expect(state()).toEqual({ waiting: 'idle' });
    child.send({ type: 'connect.requested', config: CONFIG });
    expect(state()).toEqual({ waiting: 'fetchingKey' });
    child.send(chunk(2));
    await connecting();
    expect(sent).toEqual([{ type: 'webSocket.connect', firstFrame: { ...CONFIG, ...KEY } }]);
    child.send(chunk(4));
    child.send({ type: 'finalize.requested' });
    expect(messages()).toEqual([]);
    webSocket(opened);
    expect(state()).toEqual({ open: { watchdog: { running: 'heard' }, keepalive: 'pause' } });
    child.send({ type: 'audio.ended' });
    expect(messages()).toEqual([new ArrayBuffer(2), new ArrayBuffer(4), '{"type":"finalize"}', '']);
    webSocket(heard);
    webSocket({ type: 'webSocket.closed', code: 1000, reason: 'done' });
    expect(state()).toBe('closed');
    expect(told).toEqual([
      { type: 'socket.opened' },
      { type: 'socket.received', result: heard.result },
      { type: 'socket.closed', code: 1000, reason: 'done' },
    ]);
  });

  it('LIV-14: no context has the key', async () => {
    const { child, open } = socket();
    await open();
    expect(JSON.stringify(child.getSnapshot().context)).not.toContain(KEY.api_key);
    expect(JSON.stringify(child.getPersistedSnapshot())).not.toContain(KEY.api_key);
  });

  it('LIV-14: a refused key ends it before it connects', async () => {
    const { child, key, sent, state, told, log } = socket();
    child.send({ type: 'connect.requested', config: CONFIG });
    key.reject(new CallError({ kind: 'HTTP', status: 429, errorType: 'too_many_keys', message: 'Too many keys.' }));
    await vi.waitFor(() => expect(state()).toBe('refused'));
    expect(told).toEqual([{ type: 'socket.refused', error: { code: 'too_many_keys', message: 'Too many keys.' } }]);
    expect([sent, log]).toEqual([[], ['webSocket ends']]);
  });

  it('ERR-05: a WebSocket that cannot be made refuses the session, with the reason', async () => {
    const { child, told, stop } = underParent(
      socketMachine.provide({
        actors: {
          fetchKey: fromPromise<SessionKey, void>(() => Promise.resolve(KEY)),
          webSocket: fromCallback<WebSocketCommand, void>(({ receive }) =>
            receive(() => {
              throw new Error('Not an address.');
            }),
          ),
        },
      }),
      undefined,
    );
    child.send({ type: 'connect.requested', config: CONFIG });
    await vi.waitFor(() => expect(child.getSnapshot().value).toBe('refused'));
    expect(told).toEqual([{ type: 'socket.refused', error: liveError('websocket_error', 'Not an address.') }]);
    stop();
  });

  it.each<[string, WebSocketEvent, string, AnyEventObject]>([
    ['fails', { type: 'webSocket.failed' }, 'failed', { type: 'socket.failed' }],
    [
      'is closed',
      { type: 'webSocket.closed', code: 1006, reason: '' },
      'closed',
      { type: 'socket.closed', code: 1006, reason: '' },
    ],
  ])('LIV-05: a connection that %s before it is open ends it', async (_name, event, end, notice) => {
    const { child, told, state, log, messages, webSocket, connecting } = socket();
    await connecting();
    child.send(chunk());
    webSocket(event);
    webSocket(opened);
    expect([state(), told, messages(), log]).toEqual([end, [notice], [], ['webSocket ends']]);
  });

  it.each<[string, WebSocketEvent, LiveError]>([
    [
      'an error frame',
      { type: 'failure.received', failure: { error_type: 'invalid_model', error_message: '<b>Bad</b> model.' } },
      { code: 'invalid_model', message: 'Bad model.' },
    ],
    [
      'a message that cannot be read',
      { type: 'unreadable.received' },
      liveError('websocket_error', 'The server sent a message that cannot be read.'),
    ],
  ])('ERR-05: %s refuses the session', async (_name, event, error) => {
    const { told, state, webSocket, open } = socket();
    await open();
    webSocket(event);
    webSocket({ type: 'webSocket.closed', code: 1011, reason: '' });
    expect(state()).toBe('refused');
    expect(told.slice(1)).toEqual([{ type: 'socket.refused', error }]);
  });

  it.each<[string, (of: ReturnType<typeof socket>) => unknown, string[]]>([
    ['idle', () => undefined, []],
    ['fetching the key', ({ child }) => child.send({ type: 'connect.requested', config: CONFIG }), ['key is dropped']],
    ['connecting', ({ connecting }) => connecting(), []],
  ])('LIV-04: the end of the audio while it is %s closes it with 1000', async (_name, reach, dropped) => {
    const at = socket();
    await reach(at);
    at.child.send(chunk());
    at.child.send({ type: 'audio.ended' });
    expect(at.state()).toBe('closed');
    expect(at.told).toEqual([{ type: 'socket.closed', code: 1000, reason: '' }]);
    expect(at.messages()).toEqual([]);
    expect(at.log.toSorted()).toEqual([...dropped, 'webSocket ends']);
  });

  it('LIV-13: 100 messages wait, of whatever kind; one more refuses the session', async () => {
    const { child, told, state, messages, connecting } = socket();
    // Three parts of at most 60000 bytes.
    child.send(chunk(130_000));
    await connecting();
    for (let count = 4; count < QUEUED_MESSAGES_MAX; count++) child.send(chunk());
    child.send({ type: 'finalize.requested' });
    expect([told, child.getSnapshot().context.queue.length]).toEqual([[], QUEUED_MESSAGES_MAX]);
    child.send(chunk());
    expect([state(), told, messages()]).toEqual(['refused', [{ type: 'socket.refused', error: QUEUE_OVERFLOW }], []]);
  });

  it('LIV-13: once it is open, nothing waits and no number is too many', async () => {
    const { child, told, messages, open } = socket();
    await open();
    for (let count = 0; count <= QUEUED_MESSAGES_MAX; count++) child.send(chunk());
    expect([told, messages().length]).toEqual([[{ type: 'socket.opened' }], QUEUED_MESSAGES_MAX + 1]);
    child.send(chunk(130_000));
    const parts = messages().slice(QUEUED_MESSAGES_MAX + 1);
    expect(parts.map((part) => part instanceof ArrayBuffer && part.byteLength)).toEqual([60_000, 60_000, 10_000]);
  });
});

describe('a socket on which nothing comes', () => {
  /** Open, from here on in the test's time. */
  async function silentSocket() {
    vi.useFakeTimers();
    const at = socket();
    at.child.send({ type: 'connect.requested', config: CONFIG });
    at.key.resolve(KEY);
    await vi.advanceTimersByTimeAsync(0);
    at.webSocket(opened);
    return at;
  }

  const ended = { type: 'socket.refused', error: SERVER_SILENT };
  const quiet = ({ child }: ReturnType<typeof socket>) => child.getSnapshot().hasTag('quiet');

  it('LVP-10: sends a keepalive every 15 seconds, is quiet after 6, and ends after 113 seconds and 15 more', async () => {
    const at = await silentSocket();
    const { state, told, messages, log } = at;
    vi.advanceTimersByTime(5999);
    expect(quiet(at)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(quiet(at)).toBe(true);
    vi.advanceTimersByTime(54_000);
    expect(messages()).toEqual(Array(4).fill('{"type":"keepalive"}'));
    vi.advanceTimersByTime(53_000);
    expect(state()).toMatchObject({ open: { watchdog: { running: 'silent' } } });
    vi.advanceTimersByTime(14_999);
    expect([quiet(at), told]).toEqual([true, [{ type: 'socket.opened' }]]);
    vi.advanceTimersByTime(1);
    expect([state(), told.at(-1), log]).toEqual(['refused', ended, ['webSocket ends']]);
  });

  it('LVP-10: a first message that is late is waited for; a server is silent only once it has answered', async () => {
    const at = await silentSocket();
    const answering = () => answeringOf(at.child.getSnapshot());
    expect(answering()).toBe('answers');
    vi.advanceTimersByTime(80_000);
    expect(answering()).toBe('awaited');
    at.webSocket(heard);
    expect(answering()).toBe('answers');
    vi.advanceTimersByTime(6000);
    expect(answering()).toBe('silent');
    at.child.send({ type: 'audio.ended' });
    expect(answering()).toBe('silent');
  });

  it('LVP-10: goes on if a message comes at last, and its keepalives keep their pace', async () => {
    const at = await silentSocket();
    vi.advanceTimersByTime(80_000);
    at.webSocket(heard);
    expect(quiet(at)).toBe(false);
    vi.advanceTimersByTime(74_999);
    expect(at.state()).toMatchObject({ open: { watchdog: { running: 'quiet' } } });
    expect(at.messages()).toHaveLength(10);
  });

  it.each([
    ['has answered', 0, 68_000],
    ['has answered, and was quiet already', 6000, 62_000],
    ['has answered, and was silent already', 114_000, 62_000],
  ])('LVP-10: after the end of the audio, a server that %s has longer than its limit', async (_name, before, limit) => {
    expect(limit).toBeGreaterThan(LIVE_LIMITS.finishTimeoutMs);
    const at = await silentSocket();
    at.webSocket(heard);
    vi.advanceTimersByTime(before);
    at.child.send({ type: 'audio.ended' });
    expect([at.messages().at(-1), quiet(at)]).toEqual(['', before > 0]);
    vi.advanceTimersByTime(limit - 1);
    expect(quiet(at)).toBe(true);
    vi.advanceTimersByTime(1);
    expect([at.state(), at.told.at(-1)]).toEqual(['refused', ended]);
  });

  it('LVP-10: each of the last words gives the server as long again', async () => {
    const at = await silentSocket();
    at.webSocket(heard);
    at.child.send({ type: 'audio.ended' });
    vi.advanceTimersByTime(6000);
    at.webSocket(heard);
    expect(quiet(at)).toBe(false);
    vi.advanceTimersByTime(67_999);
    expect(at.state()).toMatchObject({ open: {} });
  });

  it.each([
    [0, 128_000],
    [6000, 122_000],
    [120_000, 122_000],
  ])(
    'LVP-10: a server that has not answered %i ms after it opened may still be starting: from Stop it has longer than its limit',
    async (before, limit) => {
      expect(limit).toBeGreaterThan(LIVE_LIMITS.stalledEngineMs);
      const at = await silentSocket();
      vi.advanceTimersByTime(before);
      at.child.send({ type: 'audio.ended' });
      expect([at.messages().at(-1), quiet(at)]).toEqual(['', before > 0]);
      vi.advanceTimersByTime(limit - 1);
      expect(at.state()).toMatchObject({ open: { watchdog: { running: 'silent' } } });
      vi.advanceTimersByTime(1);
      expect([at.state(), at.told.at(-1)]).toEqual(['refused', ended]);
    },
  );
});

describe('LIV-25: the connection', () => {
  it('ends with its actor', async () => {
    const { stop, log, open } = socket();
    await open();
    stop();
    expect(log).toEqual(['webSocket ends']);
  });

  it('ends also where its own chart fails', async () => {
    const { child, log, webSocket, open } = socket();
    await open();
    child.subscribe({ error: () => undefined });
    webSocket({ type: 'failure.received' } as never);
    expect(log).toEqual([]);
    stopDevicesAndConnections(child);
    expect(log).toEqual(['webSocket ends']);
  });
});
