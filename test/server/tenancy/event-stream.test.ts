import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENT_HEARTBEAT_MS } from '#contract/events.ts';
import { EventStream } from '#server/tenancy/events/stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const calls: string[] = [];
  const stream = new EventStream({ onGone: () => calls.push('gone'), cut: () => calls.push('cut') });
  const reader = stream.body.getReader();
  return {
    calls,
    stream,
    reader,
    next: async () => {
      const { value } = await reader.read();
      return value && new TextDecoder().decode(value);
    },
  };
}

describe('CON-05 one stream of events', () => {
  it('CON-05 says something when nothing happens, so that nobody in between takes it for dead', async () => {
    const { next } = open();
    const frame = next();
    await vi.advanceTimersByTimeAsync(EVENT_HEARTBEAT_MS);
    expect(await frame).toMatch(/^:.*\n\n$/);
  });

  it('CON-05 keeps little for a reader that falls behind, and tells it to read everything again', async () => {
    const { stream, next } = open();
    for (let count = 0; count < 5000; count += 1)
      stream.push({ type: 'organization.changed', organization_uuid: '0f5d8e6a-7b3c-4c1d-8e9f-1a2b3c4d5e33' });
    stream.end();
    const frames: string[] = [];
    for (let frame = await next(); frame !== undefined; frame = await next()) frames.push(frame);
    expect(frames[0]).toContain('event: resync');
    expect(frames.length).toBeLessThanOrEqual(201);
  });

  it('CON-05 is cut off where its reader does not take its end', async () => {
    const { stream, calls } = open();
    stream.push({ type: 'resync' });
    stream.end({ type: 'session.ended' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['cut', 'gone']);
  });

  it('CON-05 is over once, when its reader leaves', async () => {
    const { stream, reader, calls } = open();
    await reader.cancel();
    stream.end();
    stream.push({ type: 'resync' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['gone']);
  });
});
