import { describe, expect } from 'vitest';
import { transcriptMachine } from '#machines/playground/transcript/machine.ts';
import { EMPTY } from '#machines/playground/transcript/record.ts';
import { describeWalk } from './walk.ts';

describe('LIV-22: every way of a live transcript', () => {
  describeWalk(transcriptMachine, {
    ignored: {},
    input: { record: EMPTY },
    cases: {
      'session.closed': [{ how: 'finished' }, { how: 'broken' }],
      'tokens.received': [
        {
          tokens: [
            { text: 'a', is_final: true },
            { text: 'b', is_final: false },
          ],
        },
      ],
    },
    distinguish: ({ context }) => [context.tail.length > 0, context.pending.length > 0],
    states: {
      open: ({ context }) => expect(context.chunks).toEqual([]),
    },
  });
});
