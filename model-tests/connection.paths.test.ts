import { describe } from 'vitest';
import { connectionMachine } from '#machines/workspace/connection/machine.ts';
import { describeWalk } from './walk.ts';

describe('UXP-41: every way of a connection', () => {
  describeWalk(connectionMachine, {
    tags: { offline: ['offline'] },
    ignored: {
      'It was not away': 'network.back in online',
      'It is away already': 'network.offline in offline',
    },
  });
});
