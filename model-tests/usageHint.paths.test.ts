import { describe, expect, it } from 'vitest';
import type { ProjectLimit } from '#contract/limits.ts';
import { usageHintMachine } from '#machines/playground/usageHint/machine.ts';
import { worthKnowing } from '#machines/playground/usageHint/select.ts';
import { projectLimit as limit } from '../test/machines/limits.ts';
import { describeWalk } from './walk.ts';

const STREAMS = limit('concurrent_streams', { used: 6 });

describe('EST-04: how much of the limits is used', () => {
  describeWalk(usageHintMachine, {
    ignored: { 'It is about to be read': 'use.changed in due' },
    input: { projectUuid: 'p1' },
    cases: {
      'done readUse': [true, false].map((is_balance_exhausted) => ({ limits: [STREAMS], is_balance_exhausted })),
    },
    distinguish: ({ context }) => [context.isStale, context.limits.length, context.isExhausted],
  });

  it('a limit is told once it is reached, or more than half used', () => {
    const limits = [
      STREAMS,
      limit('audio_minutes', { used: 5 }),
      limit('waiting_jobs', { used: 0, is_reached: true }),
      limit('budget_micros', { value: null, used: 7 }),
      limit('requests_per_minute', { used: 10, is_reached: true }),
    ];
    const names = (mode: 'async' | 'real-time') => worthKnowing(limits, mode).map(({ name }) => name);
    expect(names('real-time')).toEqual(['concurrent_streams']);
    expect(names('async')).toEqual(['waiting_jobs']);
  });

  it('what is reserved counts as what is used does', () => {
    const told = (of: Partial<ProjectLimit>) =>
      worthKnowing([limit('audio_minutes', { value: 3, maximum: 10, ...of })], 'async').map(
        ({ used, reserved, isOfAll }) => ({ used, reserved, isOfAll }),
      );
    expect(told({ used: 1.2, reserved: 0.3 })).toEqual([]);
    expect(told({ used: 1.2, reserved: 0.4 })).toEqual([{ used: 1.2, reserved: 0.4, isOfAll: false }]);
    const ofAll = { organization_used: 6, organization_reserved: 1.5 };
    expect(told({ used: 1.2, reserved: 1.8, ...ofAll })).toEqual([{ used: 1.2, reserved: 1.8, isOfAll: false }]);
    expect(told({ used: 1.2, reserved: 0.4, ...ofAll })).toEqual([{ used: 6, reserved: 1.5, isOfAll: true }]);
  });

  it('of a limit of all projects of an organization it is told what they use together, where that is used up before its own', () => {
    const told = (of: Partial<ProjectLimit>) =>
      worthKnowing([limit('concurrent_streams', { used: 1, organization_used: 6, ...of })], 'real-time').map(
        ({ used, value, isOfAll }) => ({ used, value, isOfAll }),
      );
    expect(told({ maximum: 10 })).toEqual([{ used: 6, value: 10, isOfAll: true }]);
    expect(told({ maximum: 20 })).toEqual([]);
    expect(told({ value: null, maximum: null })).toEqual([]);
    expect(told({ value: 1, own: 1, maximum: 10, is_reached: true })).toEqual([{ used: 1, value: 1, isOfAll: false }]);
    expect(told({ used: 6, maximum: 10 })).toEqual([{ used: 6, value: 10, isOfAll: false }]);
  });
});
