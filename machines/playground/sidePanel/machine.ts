// Models whether the playground's side panel is folded because of the window: a narrow one folds it, and it can be opened there.
// Owned by the playground; in a wide window the person's preference holds.
import { setup, type ActorRefFrom } from 'xstate';
import { PANEL_FROM_PX, viewport, type ViewportEvent, type ViewportInput } from '../../shared/viewport.ts';

export const sidePanelMachine = setup({
  types: {} as { events: ViewportEvent | { type: 'panel.toggled' }; tags: 'narrow' | 'folded' },
  actors: { viewport },
}).createMachine({
  id: 'sidePanel',
  invoke: { id: 'viewport', src: 'viewport', input: (): ViewportInput => ({ wideFromPx: PANEL_FROM_PX }) },
  initial: 'wide',
  on: { 'viewport.narrowed': '.narrow', 'viewport.widened': '.wide' },
  states: {
    wide: {},
    narrow: {
      tags: 'narrow',
      initial: 'folded',
      states: {
        folded: { tags: 'folded', on: { 'panel.toggled': 'open' } },
        open: { on: { 'panel.toggled': 'folded' } },
      },
    },
  },
});

export type SidePanelActor = ActorRefFrom<typeof sidePanelMachine>;
