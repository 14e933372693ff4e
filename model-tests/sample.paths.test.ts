import { describe, expect } from 'vitest';
import { sampleMachine } from '#machines/playground/sample/machine.ts';
import { storedFile } from '#test/machines/playground-fixtures.ts';
import { doneBy, describeWalk } from './walk.ts';

describe('ONB-05: every way of choosing a sample', () => {
  describeWalk(sampleMachine, {
    tags: { busy: ['adding'], failed: ['failed'] },
    ignored: { 'One is being added': 'sample.chosen in adding' },
    cases: {
      'sample.chosen': [
        { type: 'sample.chosen', name: 'dictation' },
        { type: 'sample.chosen', name: 'noisy-call' },
      ],
      'xstate.done.actor.addSample': [doneBy('addSample', storedFile())],
    },
    states: {
      adding: ({ context }) => {
        expect(context.name).not.toBeNull();
        expect(context.failure).toBeNull();
      },
      failed: ({ context }) => {
        expect(context.failure).not.toBeNull();
      },
    },
  });
});
