// Models whether a narrow window folds the side panel; the address or the person can open it there.
// Owned by the playground. In a wide window the person's preference counts instead.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { PANEL_FROM_PX, viewport, type ViewportEvent, type ViewportInput } from '../../shared/viewport.ts';

type SidePanelEvent =
  | ViewportEvent
  | { type: 'panel.toggled' }
  /** Opens the panel, because something in it is needed. */
  | { type: 'panel.requested' };

export const sidePanelMachine = setup({
  types: {} as {
    /** Whether the playground's first address asks for something in the panel. */
    context: { isAsked: boolean };
    input: { isAsked: boolean };
    events: SidePanelEvent;
    tags: 'narrow' | 'folded';
  },
  actors: { viewport },
  guards: { isAsked: ({ context }) => context.isAsked },
  actions: { forget: assign({ isAsked: false }) },
}).createMachine({
  id: 'sidePanel',
  context: ({ input: { isAsked } }) => ({ isAsked }),
  invoke: { id: 'viewport', src: 'viewport', input: (): ViewportInput => ({ wideFromPx: PANEL_FROM_PX }) },
  initial: 'wide',
  on: {
    'viewport.narrowed': [{ guard: 'isAsked', target: '.narrow.open', actions: 'forget' }, { target: '.narrow' }],
    'viewport.widened': { target: '.wide', actions: 'forget' },
  },
  states: {
    wide: {},
    narrow: {
      tags: 'narrow',
      initial: 'folded',
      states: {
        folded: { tags: 'folded', on: { 'panel.toggled': 'open', 'panel.requested': 'open' } },
        open: { on: { 'panel.toggled': 'folded' } },
      },
    },
  },
});

export type SidePanelActor = ActorRefFrom<typeof sidePanelMachine>;
