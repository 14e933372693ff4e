/** How long the balance lasts, as the overview says at noon. */
import { describe, expect, it } from 'vitest';
import { CREDIT, Served } from '../served.ts';

const NOON = new Date('2026-05-15T12:00:00Z');
const served = new Served({ overrides: { clock: () => NOON } });
const useAgo = (days: number, micros: number) => served.use(micros, new Date(NOON.getTime() - days * 86_400_000));
const pace = async () => {
  const { today_micros, days_left } = await served.overview();
  return [today_micros, days_left];
};

describe('BIX-08: the days that the balance lasts', () => {
  it('count today so far, and begin with the day of the first request', async () => {
    for (const ago of [1, 3]) await useAgo(ago, 700_000);
    await useAgo(0, 600_000);
    // 8 USD at 2 USD in three and a half days.
    expect(await pace()).toEqual([600_000, 14]);
  });

  it('are unknown on the first day, whatever it cost', async () => {
    expect(await pace()).toEqual([0, null]);
    await useAgo(0, 11_200);
    expect(await pace()).toEqual([11_200, null]);
  });

  it('count seven days before today, and are unknown where these and today cost nothing', async () => {
    await useAgo(8, 700);
    expect(await pace()).toEqual([0, null]);
    await useAgo(1, 350_000);
    await useAgo(7, 350_000);
    await useAgo(0, 50_000);
    expect(await pace()).toEqual([50_000, Math.floor((CREDIT - 750_700) / 100_000)]);
    await useAgo(0, CREDIT);
    expect(await pace()).toEqual([50_000 + CREDIT, 0]);
  });
});
