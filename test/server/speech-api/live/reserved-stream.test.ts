/** What a live session hears where there is only so much for it. */
import { expect, it } from 'vitest';
import { BalanceExhausted } from '#server/money/limits/errors.ts';
import { eventually } from '../../eventually.ts';
import { word } from '../../fake-engine.ts';
import { deferred, session, turn } from './live-harness.ts';

const MS_BYTES = 32;
const sound = (ms: number, fill = 1): Buffer => Buffer.alloc(ms * MS_BYTES, fill);
const exhausted = () => Promise.reject(new BalanceExhausted(1));

it('LIM-16: it is given what is reserved to the millisecond; what was said is told, and then why it ends', async () => {
  const asked: number[] = [];
  const of = session({
    admission: { reservedMs: 1000, extend: (ms) => (asked.push(ms), exhausted()) },
  });
  const stream = await of.start();
  for (let n = 0; n < 20; n += 1) of.live.binary(sound(70));
  await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
  expect(stream.audioMs).toBe(1000);
  // Ahead of time, and once more when nothing was left.
  expect(asked).toEqual([1000, 1000]);
  // Nothing that comes now is heard, and nothing is said of it.
  of.live.binary(sound(70));
  of.live.text('{"type":"finalize"}');
  expect(of.connection.closed).toEqual([]);
  stream.say([word(' last', 0)], true);
  expect(await of.refusal()).toMatch(/^402 organization_balance_exhausted/);
  expect(of.frames.at(-2)).toMatchObject({ tokens: [{ text: ' last' }] });
  expect(of.released).toMatchObject([{ status: 'failed', audioMs: 1000, refusal: { code: 402 } }]);
});

it('LIM-16: more is reserved before it is needed, and nothing of it is lost or late', async () => {
  const asked: number[] = [];
  const of = session({
    admission: { reservedMs: 12_000, extend: (ms) => (asked.push(ms), Promise.resolve(ms + 12_000)) },
  });
  const stream = await of.start();
  of.live.binary(sound(1900));
  expect(asked).toEqual([]);
  of.live.binary(sound(200));
  expect(asked).toEqual([12_000]);
  await turn();
  // More than all that is reserved, at once.
  of.live.binary(sound(30_000, 7));
  of.live.text('{"type":"finalize"}');
  of.live.text('');
  await eventually(() => expect(stream.calls.slice(-2)).toEqual(['finalize', 'end']));
  expect(stream.audioMs).toBe(32_100);
  expect(Buffer.concat(stream.audio).equals(Buffer.concat([sound(2100), sound(30_000, 7)]))).toBe(true);
  expect(asked).toEqual([12_000, 24_000, 36_000]);
});

it('LIM-16: the client is slowed down while nothing is reserved, and what was refused ahead of time may be there later', async () => {
  const answer = deferred();
  let asked = 0;
  const of = session({
    admission: {
      reservedMs: 1000,
      extend: async (ms) => {
        asked += 1;
        if (asked === 1) return exhausted();
        await answer.promise;
        return ms + 60_000;
      },
    },
  });
  const stream = await of.start();
  of.live.binary(sound(500));
  await turn();
  of.live.binary(sound(600));
  await turn();
  expect([stream.audioMs, of.connection.paused]).toEqual([1000, true]);
  answer.resolve();
  await eventually(() => expect([stream.audioMs, of.connection.paused]).toEqual([1100, false]));
});

it('LIM-16: one whose client leaves while it waits hears nothing more', async () => {
  const answer = deferred();
  const of = session({
    admission: { reservedMs: 1000, extend: async (ms) => (await answer.promise, ms + 60_000) },
  });
  const stream = await of.start();
  of.live.binary(sound(1500));
  of.live.gone();
  answer.resolve();
  await turn();
  expect([stream.audioMs, stream.calls.at(-1)]).toEqual([1000, 'abort']);
  expect(of.released).toMatchObject([{ status: 'aborted', audioMs: 1000 }]);
});
