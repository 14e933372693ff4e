import { describe } from 'vitest';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { describeWalk } from './walk.ts';

describe('playing a recording', () => {
  describeWalk(playerMachine, {
    tags: { playing: ['usable.starting', 'usable.playing'], failed: ['failed'] },
    ignored: [
      {
        states: ['failed'],
        events: [
          'sound.loaded',
          'sound.failed',
          'seek.requested',
          'skip.requested',
          'word.chosen',
          'rate.selected',
          'rate.stepped',
          'toggle.requested',
        ],
        why: 'The recording cannot be played at all',
      },
      { states: ['failed', 'usable.playing'], events: ['sound.started'], why: 'It plays already, or cannot' },
      {
        states: ['failed', 'usable.paused'],
        events: ['sound.paused'],
        why: 'It stands still already, or cannot play',
      },
      {
        states: ['failed', 'usable.paused', 'usable.starting'],
        events: ['sound.progressed', 'sound.ended'],
        why: 'Late words of a sound that stands still; its place is the one that was asked for',
      },
    ],
    input: { url: '/recording' },
    cases: {
      'sound.loaded': [{ type: 'sound.loaded', durationMs: 9000 }],
      'sound.progressed': [{ type: 'sound.progressed', positionMs: 100 }],
      'seek.requested': [{ type: 'seek.requested', positionMs: 4000 }],
      'skip.requested': [{ type: 'skip.requested', byMs: 5000 }],
      'word.chosen': [{ type: 'word.chosen', startMs: 700 }],
      'rate.selected': [{ type: 'rate.selected', rate: 2 }],
      'rate.stepped': [{ type: 'rate.stepped', by: 1 }],
    },
    distinguish: () => null,
  });
});
