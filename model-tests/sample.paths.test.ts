import { describe, expect } from 'vitest';
import { sampleMachine } from '#machines/playground/sample/machine.ts';
import { storedFile } from '#test/machines/playground-fixtures.ts';
import { doneBy, describeWalk } from './walk.ts';

describe('ONB-05: every way of choosing a sample', () => {
  describeWalk(sampleMachine, {
    tags: { busy: ['adding'], failed: ['failed'] },
    ignored: [{ states: ['adding'], events: ['sample.chosen'], why: 'One is being added' }],
    cases: {
      'sample.chosen': [
        { type: 'sample.chosen', name: 'dictation' },
        { type: 'sample.chosen', name: 'noisy-call' },
      ],
      'xstate.done.actor.addSample': [doneBy('addSample', storedFile())],
    },
    states: {
      adding: (snapshot) => {
        expect(snapshot.hasTag('busy')).toBe(true);
        expect(snapshot.context.name).not.toBeNull();
        expect(snapshot.context.failure).toBeNull();
      },
      failed: (snapshot) => {
        expect(snapshot.hasTag('failed')).toBe(true);
        expect(snapshot.context.failure).not.toBeNull();
      },
    },
  });
});
