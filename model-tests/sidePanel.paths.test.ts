import { describe, expect, it } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import { sidePanelMachine } from '#machines/playground/sidePanel/machine.ts';
import { describeWalk } from './walk.ts';

describe('ASY-08: a narrow window folds the side panel, which can be opened there', () => {
  describeWalk(sidePanelMachine, {
    input: { isAsked: true },
    tags: { narrow: ['narrow'], folded: ['narrow.folded'] },
    refused: [
      {
        states: ['wide'],
        event: { type: 'panel.requested', by: 'address' },
        why: 'An address does not unfold what the person folded',
      },
    ],
    ignored: {
      'There is room for it always': 'panel.toggled in wide',
      'It is in sight': 'panel.requested in narrow.open',
    },
    cases: { 'panel.requested': [{ by: 'address' }, { by: 'person' }] },
  });
  it.each([
    ['one that nobody asks for, wide', false, [], false],
    [
      'one that nobody asks for, though it was opened in the last narrow window',
      false,
      ['viewport.narrowed', 'panel.toggled', 'viewport.widened', 'viewport.narrowed'],
      true,
    ],
    ['one that the address asks for, narrow from the beginning', true, ['viewport.narrowed'], false],
    ['one that the address asks for, wide at first', true, ['viewport.widened', 'viewport.narrowed'], true],
  ] as const)('ASY-08 UXP-64: folds with the window and not before: %s', (_name, isAsked, events, isFolded) => {
    const panel = createActor(
      sidePanelMachine.provide({ actors: { viewport: fromCallback(() => undefined) as never } }),
      { input: { isAsked } },
    ).start();
    for (const type of events) panel.send({ type });
    expect(panel.getSnapshot().hasTag('folded')).toBe(isFolded);
  });
});
