import { describe, expect, it } from 'vitest';
import { headroomMachine } from '#machines/playground/headroom/machine.ts';
import { obstacleOf, worthKnowing } from '#machines/playground/headroom/select.ts';
import { limit } from '../test/machines/limits.ts';
import { describeWalk, doneBy } from './walk.ts';

const STREAMS = limit('concurrent_streams', { used: 6 });

describe('EST-04: how much of the limits is used', () => {
  describeWalk(headroomMachine, {
    ignored: [{ states: ['due'], events: ['use.changed'], why: 'It is about to be read' }],
    input: { projectUuid: 'p1' },
    cases: {
      'xstate.done.actor.readUse': [true, false].map((is_balance_exhausted) =>
        doneBy('readUse', { limits: [STREAMS], is_balance_exhausted }),
      ),
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
});

describe('EST-05: what kept something from beginning', () => {
  it.each([
    ['limit_exceeded', 'Your project has exceeded max number of concurrent requests.', 'concurrent_streams', 'project'],
    [
      'too_many_concurrent_requests',
      'Your organization has exceeded max number of concurrent requests.',
      'concurrent_streams',
      'organization',
    ],
    ['limit_exceeded', 'Rate limit for your organization has been exceeded.', 'requests_per_minute', 'organization'],
    [
      'limit_exceeded',
      'This project has 200 pending transcriptions, the most there can be. Wait until some of them have ended.',
      'waiting_jobs',
      'project',
    ],
    [
      'limit_exceeded',
      'The files of this organization may have 10 bytes together. Delete some of them.',
      'stored_bytes',
      'organization',
    ],
    ['limit_exceeded', 'This project has used its 60 minutes of audio of this month.', 'audio_minutes', 'project'],
    [
      'project_monthly_budget_exhausted',
      'Project monthly budget exhausted. Please increase it.',
      'budget_micros',
      'project',
    ],
    [
      'organization_monthly_budget_exhausted',
      'Organization monthly budget exhausted. Please increase it.',
      'budget_micros',
      'organization',
    ],
  ])('%s, %s', (errorType, message, name, whose) => {
    expect(obstacleOf({ errorType, message })).toEqual({ what: 'limit', limit: name, whose });
  });

  it('the balance, or something else', () => {
    expect(obstacleOf({ errorType: 'organization_balance_exhausted', message: 'x' })).toEqual({ what: 'balance' });
    expect(obstacleOf({ errorType: 'limit_exceeded', message: 'Too many wrong keys.' })).toBeNull();
    expect(obstacleOf({ message: 'Invalid model specified.' })).toBeNull();
  });
});
