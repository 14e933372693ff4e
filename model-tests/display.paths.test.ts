import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { displayMachine, splitsLines } from '#machines/display/machine.ts';
import { describeWalk } from './walk.ts';

describe('how a transcript is shown', () => {
  describeWalk(displayMachine, {
    cases: {
      'option.selected': [{ type: 'option.selected', option: 'original' }],
      'split.chosen': [{ type: 'split.chosen', isSplit: false }],
    },
  });

  it("TRN-03: 'Split into lines' is on by default when a target language is set, until the user chooses", () => {
    const display = createActor(displayMachine).start();
    const splits = (hasTarget: boolean) => splitsLines(display.getSnapshot().context, hasTarget);
    expect([splits(true), splits(false)]).toEqual([true, false]);
    display.send({ type: 'split.chosen', isSplit: false });
    expect([splits(true), splits(false)]).toEqual([false, false]);
    display.send({ type: 'split.chosen', isSplit: true });
    expect([splits(true), splits(false)]).toEqual([true, true]);
    display.send({ type: 'option.selected', option: 'translation' });
    expect(display.getSnapshot().context).toEqual({ option: 'translation', isSplit: true });
  });
});
