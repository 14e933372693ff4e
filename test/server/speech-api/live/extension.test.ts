/** What a stream may hear while the database answers late, or not at all. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BalanceExhausted, LimitReached } from '#server/money/limits/errors.ts';
import { ReservationExtender } from '#server/speech-api/live/extension.ts';
import { deferred } from './live-harness.ts';

const MINUTE = 60_000;
const away = () => Promise.reject(new Error('away'));

/** A stream for which a minute is reserved. */
function stream(reserve: (mostMs: number) => Promise<number | undefined>) {
  const parts = { reserve: vi.fn(reserve), log: { warn: () => undefined } };
  const extension = new ReservationExtender(
    { ...parts, reserve: ({ mostMs }) => parts.reserve(mostMs) },
    { session: 's', reservedMs: MINUTE },
  );
  let allowed = MINUTE;
  return {
    parts,
    /** @returns what it may hear, minutes */
    goOn: async () => {
      allowed = await extension.extend(allowed);
      return allowed / MINUTE;
    },
  };
}

/** Asks until there is no more. @returns what it might hear, minutes, and why it ended */
async function exhaust({ goOn }: ReturnType<typeof stream>): Promise<[number[], unknown]> {
  const minutes: number[] = [];
  for (;;) {
    try {
      minutes.push(await goOn());
    } catch (error) {
      return [minutes, error];
    }
  }
}

describe('LIM-16: a stream whose database does not answer', () => {
  const ENDED = { code: 503, type: 'service_unavailable', message: expect.stringContaining('database') };

  it('goes on for five minutes beyond what is reserved, and no longer', async () => {
    expect(await exhaust(stream(away))).toEqual([[2, 3, 4, 5, 6], expect.objectContaining(ENDED)]);
    // Nor where its row has ended, and nobody tells it so.
    expect(await exhaust(stream(() => Promise.resolve(undefined)))).toMatchObject([
      [2, 3, 4, 5, 6],
      { code: 503, message: expect.stringContaining('Cannot continue') },
    ]);
  });

  it('has as long again once it has answered', async () => {
    const of = stream(away);
    expect([await of.goOn(), await of.goOn()]).toEqual([2, 3]);
    of.parts.reserve.mockImplementationOnce((mostMs) => Promise.resolve(mostMs));
    expect(await of.goOn()).toBe(4);
    expect(await exhaust(of)).toMatchObject([[5, 6, 7, 8, 9], ENDED]);
  });

  it('is refused at once where it answers that there is no more', async () => {
    const of = stream(() => Promise.reject(new BalanceExhausted(1)));
    expect(await exhaust(of)).toMatchObject([[], { code: 402 }]);
  });

  describe('within five seconds', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('goes on, and an answer that is late counts', async () => {
      const answer = deferred();
      const of = stream(away);
      of.parts.reserve.mockImplementationOnce(async (mostMs) => (await answer.promise, mostMs));
      const unanswered = of.goOn();
      await vi.advanceTimersByTimeAsync(5000);
      expect(await unanswered).toBe(2);
      answer.resolve();
      await vi.advanceTimersByTimeAsync(0);
      expect(await exhaust(of)).toMatchObject([[3, 4, 5, 6, 7], ENDED]);
    });

    it('goes on, and a refusal that is late ends it where it has not been allowed more since', async () => {
      const late = async (error?: Error) => {
        const answer = deferred();
        of.parts.reserve.mockImplementationOnce(async (mostMs) => {
          await answer.promise;
          if (error !== undefined) throw error;
          return mostMs;
        });
        const unanswered = of.goOn();
        await vi.advanceTimersByTimeAsync(5000);
        const minutes = await unanswered;
        answer.resolve();
        await vi.advanceTimersByTimeAsync(0);
        return minutes;
      };
      const of = stream(away);
      const refused = new LimitReached('budget_micros', 'project', 1);
      expect(await late(refused)).toBe(2);
      of.parts.reserve.mockImplementationOnce((mostMs) => Promise.resolve(mostMs));
      expect([await of.goOn(), await late(), await late(refused)]).toEqual([3, 4, 5]);
      expect(await exhaust(of)).toMatchObject([[], { code: 402, type: 'project_monthly_budget_exhausted' }]);
      // Also where a question that came later is not answered in time.
      of.parts.reserve.mockImplementation(() => new Promise(() => {}));
      const ended = exhaust(of);
      await vi.advanceTimersByTimeAsync(5000);
      expect(await ended).toMatchObject([[], { code: 402 }]);
    });
  });
});
