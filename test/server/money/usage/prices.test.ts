import { describe, expect, it } from 'vitest';
import { costOf, toUsd } from '#server/money/usage/prices.ts';
import { parsePrices } from '#server/platform/prices.ts';

const prices = parsePrices('async=0.10,live=0.12,special=1') ?? new Map<string, number>();
const HOUR = 3_600_000;
const done = { kind: 'async', model: 'a-1', status: 'completed', audioMs: HOUR } as const;

describe('what a request costs', () => {
  it('PRJ-04: by its audio and its service, to the nearest micro-dollar', () => {
    expect(costOf(prices, done)).toBe(100_000);
    expect(costOf(prices, { ...done, kind: 'real_time' })).toBe(120_000);
    expect([1000, 1017, 1018, 0].map((audioMs) => costOf(prices, { ...done, audioMs }))).toEqual([28, 28, 28, 0]);
    expect(costOf(prices, { ...done, audioMs: 300 * 60_000 })).toBe(500_000);
  });

  it('PRJ-04: the price of a model goes before that of its service', () => {
    expect([
      costOf(prices, { ...done, model: 'special' }),
      costOf(prices, { ...done, kind: 'real_time', model: 'special' }),
    ]).toEqual([1_000_000, 1_000_000]);
  });

  it('MET-12: the price of the name that is asked for goes before that of the model behind it, and that before the service', () => {
    const of = (text: string) => {
      const list = parsePrices(text) ?? prices;
      return [
        costOf(list, { ...done, model: 'stt-async-v5' }),
        costOf(list, { ...done, model: 'parlance-async-1' }),
        costOf(list, { ...done, kind: 'real_time', model: 'stt-rt-v5' }),
        costOf(list, { ...done, kind: 'real_time', model: 'parlance-rt-1' }),
      ];
    };
    expect(of('async=1,live=2,parlance-async-1=3,parlance-rt-1=4')).toEqual([3, 3, 4, 4].map((usd) => usd * 1_000_000));
    expect(of('async=1,live=2,stt-async-v5=3,stt-rt-v5=4')).toEqual([3, 1, 4, 2].map((usd) => usd * 1_000_000));
    expect(of('stt-rt-v5=5,parlance-rt-1=6')).toEqual([null, null, 5_000_000, 6_000_000]);
  });

  it('PRJ-04: a file without a transcript costs nothing, a live session what was heard of it', () => {
    expect(costOf(prices, { ...done, status: 'failed' })).toBe(0);
    expect([
      costOf(prices, { ...done, kind: 'real_time', status: 'aborted' }),
      costOf(prices, { ...done, kind: 'real_time', status: 'failed' }),
    ]).toEqual([120_000, 120_000]);
  });

  it('PRJ-04: nothing is told of what has no price', () => {
    expect(costOf(new Map(), done)).toBeNull();
    expect(costOf(parsePrices('live=1') ?? prices, done)).toBeNull();
    expect(costOf(parsePrices('a-1=0') ?? prices, done)).toBe(0);
  });
});

describe('an amount as text', () => {
  it.each([
    [0, '0'],
    [1, '0.000001'],
    [28, '0.000028'],
    [1_500_000, '1.5'],
    [12_000_000, '12'],
    [12_345_678_901, '12345.678901'],
  ])('%d micro-dollars are %s', (micros, text) => {
    expect(toUsd(micros)).toBe(text);
  });
});
