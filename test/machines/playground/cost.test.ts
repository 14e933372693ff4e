import { describe, expect, it } from 'vitest';
import { costOf } from '#server/money/usage/prices.ts';
import { costSoFar, estimateOf } from '#machines/playground/cost.ts';
import { NO_TALLY } from '#machines/playground/live/tally.ts';

const PRICES = { async: 100_000, live: 120_000, 'stt-async-v5': 300_000 };
const real = (id: string) => ({ id, aliased_model_id: null });
const session = (soundMs: number, modelId: string | null = 'stt-rt-v5') => ({
  modelId,
  tally: { ...NO_TALLY, soundMs },
});

describe('EST-01: what a file will cost', () => {
  it('is its length by the price of its model, which goes before that of all files', () => {
    expect(estimateOf(PRICES, real('stt-async-v5'), 3_600_000)).toBe(300_000);
    expect(estimateOf(PRICES, real('other'), 720_000)).toBe(20_000);
    expect(estimateOf(PRICES, { id: 'other', aliased_model_id: 'stt-async-v5' }, 3_600_000)).toBe(300_000);
  });

  it('is not known without a length, a model or a price', () => {
    expect(estimateOf(PRICES, real('other'), 0)).toBeNull();
    expect(estimateOf(PRICES, null, 1000)).toBeNull();
    expect(estimateOf({}, real('other'), 1000)).toBeNull();
    expect(estimateOf({ live: 1 }, real('toString'), 1000)).toBeNull();
  });
});

describe('EST-02: what a live session costs so far', () => {
  it('grows by the second of sound', () => {
    const after = (ms: number) => costSoFar(PRICES, session(ms));
    expect([after(0), after(999.9), after(1000), after(1999), after(60_000)]).toEqual([0, 0, 33, 33, 2000]);
  });

  it('is not told without a price', () => {
    expect(costSoFar({ async: 1 }, session(5000))).toBeNull();
    expect(costSoFar(PRICES, session(5000, null))).toBeNull();
  });
});

describe('EST-03: the page works out a cost as the server does', () => {
  it.each([1, 1000, 59_999, 3_600_000, 123_456_789])('%d ms', (audioMs) => {
    const prices = new Map(Object.entries(PRICES));
    const model = 'stt-async-v5';
    expect(estimateOf(PRICES, real(model), audioMs)).toBe(
      costOf(prices, { kind: 'async', model, status: 'completed', audioMs }),
    );
    const whole = audioMs * 1000;
    expect(costSoFar(PRICES, session(whole))).toBe(
      costOf(prices, { kind: 'real_time', model: 'stt-rt-v5', status: 'completed', audioMs: whole }),
    );
  });
});
