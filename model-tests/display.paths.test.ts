import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { displayMachine, splitsLines, type DisplayContext } from '#machines/playground/reader/display/machine.ts';
import { describeWalk } from './walk.ts';
import { alone } from '../test/machines/appServices.ts';

const PLAIN: DisplayContext = { option: 'everything', isSplit: null };

describe('how a transcript is shown', () => {
  describeWalk(displayMachine, {
    ignored: {},
    input: PLAIN,
    cases: {
      'option.selected': [{ option: 'original' }],
      'split.chosen': [{ isSplit: false }],
      'display.restored': [{ display: { option: 'translation', isSplit: true } }],
    },
  });

  it("TRN-03: 'Split into lines' is on by default when a target language is set, until the user chooses", () => {
    const display = createActor(alone(displayMachine), { input: PLAIN }).start();
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
