// Models whether a narrow window folds the side panel; the address or the person can open it there.
// Owned by the playground. In a wide window the person's preference counts instead; an address does not change it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { sendToApp, type PanelUnfoldRequested } from '../../shared/appServices.ts';
import { PANEL_FROM_PX, viewport, type ViewportEvent, type ViewportInput } from '../../shared/viewport.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** Opens the panel, because something in it is needed. */
export type PanelRequested = { type: 'panel.requested'; by: 'address' | 'person' };

type SidePanelEvent = ViewportEvent | { type: 'panel.toggled' } | PanelRequested;

export const sidePanelMachine = setup({
  types: {} as {
    /** Whether the playground's first address asks for something in the panel. */
    context: { isAsked: boolean };
    input: { isAsked: boolean };
    events: SidePanelEvent;
    tags: 'narrow' | 'folded';
  },
  actors: { viewport },
  guards: {
    isAsked: ({ context }) => context.isAsked,
    isByPerson: (_, { by }: PanelRequested) => by === 'person',
  },
  actions: { forget: assign({ isAsked: false }), sendToApp: sendToApp<PanelUnfoldRequested>() },
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
    wide: {
      on: {
        'panel.requested': {
          guard: withEvent('isByPerson'),
          actions: { type: 'sendToApp', params: { type: 'panel.unfold.requested' } },
        },
      },
    },
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
