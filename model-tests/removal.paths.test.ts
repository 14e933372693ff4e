import { describe, expect } from 'vitest';
import { removalMachine } from '#machines/removal/machine.ts';
import { describeWalk } from './walk.ts';

describe('LIB-03: every way through a removal', () => {
  describeWalk(removalMachine, {
    cases: { 'removal.requested': [{ type: 'removal.requested', item: { kind: 'file', id: 'f1', name: 'talk.wav' } }] },
    states: {
      idle: ({ context }) => { expect(context.item).toBeNull(); },
      confirming: (snapshot) => { expect(snapshot.hasTag('confirming')).toBe(true); },
      removing: (snapshot) => {
        expect(snapshot.hasTag('busy')).toBe(true);
        expect(snapshot.can({ type: 'removal.requested', item: { kind: 'file', id: 'f2', name: 'b' } })).toBe(false);
      },
    },
  });
});
