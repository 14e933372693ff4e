import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENT_HEARTBEAT_MS, type ConsoleEvent } from '#contract/events.ts';
import type { StreamEvent } from '#machines/workspace/events/actors.ts';
import { createEventStream } from '#src/effects/http/eventStream.ts';
import { PAIR } from '../../apis.ts';
import { noted } from '../../noted.ts';

const CREATED: ConsoleEvent = {
  type: 'file.created',
  project_uuid: '3f2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a11',
  file_id: '7d2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a12',
};
const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

beforeEach(() => void vi.useFakeTimers());

/** The actor before a server that the test plays; `status` is what it answers. */
async function stream({ status = 200, signedIn = true, body = true } = {}) {
  let server: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const asked: { url: URL; init: RequestInit }[] = [];
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    asked.push({ url, init });
    const read = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        server = controller;
      },
    });
    init.signal?.addEventListener('abort', () => server?.error(init.signal?.reason));
    return new Response(body ? read : null, { status });
  });
  const refused = vi.fn();
  const deleted = vi.fn();
  const logic = createEventStream({
    pageUrl: () => new URL('https://console.example/org/o1/?a=1'),
    pageId: 'page-1',
    session: { tokens: async () => (signedIn ? PAIR : null), refused, deleted },
    atRest: async () => undefined,
  });
  const { said: told, stop } = noted<StreamEvent>(logic);
  const turn = () => vi.advanceTimersByTimeAsync(0);
  const say = async (text: string) => {
    server?.enqueue(new TextEncoder().encode(text));
    await turn();
  };
  const close = async () => {
    server?.close();
    await turn();
  };
  const cut = async () => {
    server?.error(new TypeError('network error'));
    await turn();
  };
  await turn();
  return { asked, refused, deleted, told, turn, stop, say, close, cut };
}

describe('the stream of what changes elsewhere', () => {
  it('CON-05: is read with the token in a header, and never in an address', async () => {
    const { asked, told } = await stream();
    expect(asked[0]?.url.href).toBe('https://console.example/api/v2/events/');
    expect(asked[0]?.init.headers).toMatchObject({
      authorization: 'Bearer acc',
      accept: 'text/event-stream',
      'x-page-id': 'page-1',
    });
    expect(told).toEqual([{ type: 'stream.opened' }]);
  });

  it('CON-05: tells each event once it is whole; comments are no events, and what is not known stands for something missed', async () => {
    const { told, say, close } = await stream();
    const whole = frame(CREATED);
    await say(`: heartbeat\n\n${whole.slice(0, 20)}`);
    expect(told).toHaveLength(1);
    await say(`${whole.slice(20)}id: 7\n${frame({ type: 'from.a.newer.server' })}data: {not json\n\n`);
    expect(told.slice(1)).toEqual([
      { type: 'stream.received', event: CREATED },
      { type: 'stream.received', event: { type: 'resync' } },
      { type: 'stream.received', event: { type: 'resync' } },
    ]);
    await close();
    expect(told.at(-1)).toEqual({ type: 'stream.ended' });
  });

  it('CON-04: tells which changes this page has made', async () => {
    const { told, say } = await stream();
    await say(frame({ ...CREATED, own: true }) + frame(CREATED));
    expect(told.slice(1)).toEqual([
      { type: 'stream.received', event: { ...CREATED, own: true } },
      { type: 'stream.received', event: CREATED },
    ]);
  });

  it('CON-05: that breaks has failed', async () => {
    const { told, cut } = await stream();
    await cut();
    expect(told).toEqual([{ type: 'stream.opened' }, { type: 'stream.failed' }]);
  });

  it.each([
    [401, true],
    [403, true],
    [500, true],
    [204, false],
  ])('CON-05: that is answered %i has failed, and says nothing of the session', async (status, body) => {
    const { told, refused } = await stream({ status, body });
    expect(told).toEqual([{ type: 'stream.failed' }]);
    expect(refused).not.toHaveBeenCalled();
  });

  it("CON-05: ends the session by the server's own word only", async () => {
    const { told, say, refused } = await stream();
    await say(frame({ type: 'session.ended' }));
    expect(refused).toHaveBeenCalledExactlyOnceWith('acc', 401);
    expect(told).toEqual([{ type: 'stream.opened' }]);
  });

  it('CON-05 PPL-03: says that the account was deleted', async () => {
    const { told, say, refused, deleted } = await stream();
    await say(frame({ type: 'session.ended', reason: 'account_deleted' }));
    expect(deleted).toHaveBeenCalledOnce();
    expect(refused).not.toHaveBeenCalled();
    expect(told).toEqual([{ type: 'stream.opened' }]);
  });

  it('CON-05: that is silent for three heartbeats counts as dead, once; every word keeps it alive', async () => {
    const { asked, told, say } = await stream();
    await vi.advanceTimersByTimeAsync(3 * EVENT_HEARTBEAT_MS - 1);
    await say(': heartbeat\n\n');
    await vi.advanceTimersByTimeAsync(3 * EVENT_HEARTBEAT_MS - 1);
    expect(told).toEqual([{ type: 'stream.opened' }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual([{ type: 'stream.opened' }, { type: 'stream.failed' }]);
    expect(asked[0]?.init.signal?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(10 * EVENT_HEARTBEAT_MS);
    expect(told).toHaveLength(2);
  });

  it('CON-05: ends with its actor, and leaves no timer behind', async () => {
    const { asked, told, turn, stop } = await stream();
    stop();
    await turn();
    expect(asked[0]?.init.signal?.aborted).toBe(true);
    expect(told).toEqual([{ type: 'stream.opened' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('CON-05: is not asked for where nobody is signed in', async () => {
    const { asked, told } = await stream({ signedIn: false });
    expect([asked, told]).toEqual([[], [{ type: 'stream.ended' }]]);
  });
});
