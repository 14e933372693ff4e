// Models whether the playground's side panel is folded because of the window: a narrow one folds it, unless what is in it was asked for,
// and it can be opened there. Owned by the playground; in a wide window the person's preference holds.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { PANEL_FROM_PX, viewport, type ViewportEvent, type ViewportInput } from '../../shared/viewport.ts';

type SidePanelEvent =
  | ViewportEvent
  | { type: 'panel.toggled' }
  /** Something in it is wanted: it comes in sight. */
  | { type: 'panel.requested' };

export const sidePanelMachine = setup({
  types: {} as {
    /** Whether the address that the playground was opened with asks for what is in the panel. */
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
