import { describe } from 'vitest';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { describeWalk } from './walk.ts';

describe('playing a recording', () => {
  describeWalk(playerMachine, {
    tags: { playing: ['usable.starting', 'usable.playing'], failed: ['failed'] },
    ignored: {
      'The recording cannot be played at all':
        'sound.loaded, sound.failed, seek.requested, skip.requested, word.chosen, rate.selected, rate.stepped, toggle.requested in failed',
      'It plays already, or cannot': 'sound.started in failed, usable.playing',
      'It stands still already, or cannot play': 'sound.paused in failed, usable.paused',
      'Late words of a sound that stands still; its place is the one that was asked for':
        'sound.progressed, sound.ended in failed, usable.{paused, starting}',
    },
    input: { url: '/recording' },
    cases: {
      'sound.loaded': [{ durationMs: 9000 }],
      'sound.progressed': [{ positionMs: 100 }],
      'seek.requested': [{ positionMs: 4000 }],
      'skip.requested': [{ byMs: 5000 }],
      'word.chosen': [{ startMs: 700 }],
      'rate.selected': [{ rate: 2 }],
      'rate.stepped': [{ by: 1 }],
    },
    distinguish: () => null,
  });
});
