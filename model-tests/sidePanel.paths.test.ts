import { describe, expect } from 'vitest';
import { sidePanelMachine } from '#machines/sidePanel/machine.ts';
import { describeWalk, failedBy } from './walk.ts';

describe('ASY-08: a narrow window folds the side panel, which can be opened there', () => {
  describeWalk(sidePanelMachine, {
    cases: { 'xstate.error.actor.viewport': [failedBy('viewport')] },
    states: {
      wide: (snapshot) => {
        expect(snapshot.hasTag('narrow')).toBe(false);
        expect(snapshot.can({ type: 'panel.toggled' })).toBe(false);
      },
      'narrow.folded': (snapshot) => { expect(snapshot.hasTag('folded')).toBe(true); },
      'narrow.open': (snapshot) => { expect(snapshot.hasTag('folded')).toBe(false); },
    },
  });
});
