import { describe } from 'vitest';
import { connectionMachine } from '#machines/workspace/connection/machine.ts';
import { describeWalk } from './walk.ts';

describe('UXP-41: every way of a connection', () => {
  describeWalk(connectionMachine, {
    tags: { offline: ['offline'] },
    ignored: [
      { states: ['online'], events: ['network.back'], why: 'It was not away' },
      { states: ['offline'], events: ['network.lost'], why: 'It is away already' },
    ],
  });
});
