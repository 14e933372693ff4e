import { expect, it } from 'vitest';
import { fuzzLive } from './live-fuzz.ts';

it('random clients never crash, hang or outlive the live socket', async () => {
  const { clients, ends } = await fuzzLive({ runs: 60, ms: 12_000 });
  expect(clients).toBeGreaterThan(20);
  // The runs are of use only when they get past the front door.
  expect(Object.keys(ends)).toContain('finished');
  expect(Object.keys(ends).length).toBeGreaterThan(4);
}, 90_000);
