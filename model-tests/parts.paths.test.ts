import { describe } from 'vitest';
import { partsMachine } from '#machines/root/parts/machine.ts';
import { describeWalk } from './walk.ts';

describe('ERR-09 ERR-10: every way of code that comes late', () => {
  describeWalk(partsMachine, {
    tags: { missing: ['missing'], outdated: ['outdated'] },
    ignored: {
      'What is missing is fetched again already, or can be had no more': 'part.missed in missing, outdated',
      'Nothing waits to be fetched again': 'retry.requested, network.back in whole, missing.trying, outdated',
    },
    cases: {
      'done fetchParts': ['whole', 'missing', 'outdated'],
    },
  });
});
