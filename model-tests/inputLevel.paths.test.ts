import { describe, expect } from 'vitest';
import { inputLevelMachine } from '#machines/playground/live/inputLevel/machine.ts';
import { describeWalks } from './walk.ts';

const loud = { type: 'sound.measured', level: 0.7, durationMs: 120 };
const quiet = { type: 'sound.measured', level: 0.1, durationMs: 120 };

describe('LVP-01 LVP-02: every way of the input level', () => {
  describeWalks(
    inputLevelMachine,
    {
      tags: { silent: ['silent'] },
      ignored: {},
      cases: { 'sound.measured': [loud, quiet] },
      distinguish: ({ context }) => [context.level],
      states: {
        silent: ({ context }) => expect(context.source).toBe('microphone'),
      },
    },
    { 'a microphone': { input: { source: 'microphone' } }, 'a file': { input: { source: 'file' } } },
  );
});
