import { describe } from 'vitest';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { describeWalk } from './walk.ts';

describe('playing a recording', () => {
  describeWalk(playerMachine, {
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
