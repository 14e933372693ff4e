import { describe, expect, it } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import { sidePanelMachine } from '#machines/playground/sidePanel/machine.ts';
import { describeWalk } from './walk.ts';

describe('ASY-08: a narrow window folds the side panel, which can be opened there', () => {
  describeWalk(sidePanelMachine, {
    input: { isAsked: true },
    tags: { narrow: ['narrow'], folded: ['narrow.folded'] },
    ignored: {
      'There is room for it always': 'panel.toggled, panel.asked in wide',
      'It is in sight': 'panel.asked in narrow.open',
    },
  });
  it('ASY-08: folds with the window and not before, whatever was opened in the last narrow one', () => {
    const panel = createActor(
      sidePanelMachine.provide({ actors: { viewport: fromCallback(() => undefined) as never } }),
      { input: { isAsked: false } },
    ).start();
    expect(panel.getSnapshot().hasTag('folded')).toBe(false);
    for (const event of ['viewport.narrowed', 'panel.toggled', 'viewport.widened', 'viewport.narrowed'] as const)
      panel.send({ type: event });
    expect(panel.getSnapshot().hasTag('folded')).toBe(true);
    panel.stop();
  });
  it.each([
    ['narrow', ['viewport.narrowed'], false],
    ['that was wide at first', ['viewport.widened', 'viewport.narrowed'], true],
  ] as const)(
    'ASY-08 UXP-64: an address that asks for it has it open in a window that is narrow from the beginning: %s',
    (_, events, isFolded) => {
      const panel = createActor(
        sidePanelMachine.provide({ actors: { viewport: fromCallback(() => undefined) as never } }),
        { input: { isAsked: true } },
      ).start();
      for (const type of events) panel.send({ type });
      expect(panel.getSnapshot().hasTag('folded')).toBe(isFolded);
      panel.stop();
    },
  );
});
