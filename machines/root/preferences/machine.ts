// Models preferences of this device (theme, time zone, open navigation groups, panels), and the drawer of narrow windows.
// Owned by the root, for as long as the page lives.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { PanelUnfoldRequested } from '../../shared/appServices.ts';
import { SIDEBAR_FROM_PX, viewport, type ViewportEvent, type ViewportInput } from '../../shared/viewport.ts';
import {
  preferencesStore,
  type Preferences,
  type PreferencesLoaded,
  type PreferencesSaved,
  type Theme,
  type Zone,
} from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

export const preferencesMachine = setup({
  types: {} as {
    context: Preferences;
    events:
      | PreferencesLoaded
      | ViewportEvent
      | { type: 'theme.chosen'; theme: Theme }
      | { type: 'zone.chosen'; zone: Zone }
      | { type: 'navGroup.toggled'; link: string; open: boolean }
      | { type: 'panel.toggled' }
      | PanelUnfoldRequested
      | { type: 'drawer.open.requested' }
      | { type: 'drawer.close.requested' };
    tags: 'drawerOpen';
    children: { preferencesStore: 'preferencesStore'; viewport: 'viewport' };
  },
  actors: { preferencesStore, viewport },
  actions: {
    adopt: assign((_, { preferences }: { preferences: Partial<Preferences> }) => preferences),
    setTheme: assign((_, { theme }: { theme: Theme }) => ({ theme })),
    setZone: assign((_, { zone }: { zone: Zone }) => ({ zone })),
    setGroup: assign(({ context }, { link, open }: { link: string; open: boolean }) => ({
      navGroups: { ...context.navGroups, [link]: open },
    })),
    togglePanel: assign({ panelCollapsed: ({ context }) => !context.panelCollapsed }),
    unfoldPanel: assign({ panelCollapsed: false }),
    save: sendTo('preferencesStore', ({ context }): PreferencesSaved => ({
      type: 'preferences.saved',
      preferences: context,
    })),
  },
}).createMachine({
  id: 'preferences',
  context: { theme: 'system', zone: 'utc', navGroups: {}, panelCollapsed: false },
  invoke: { id: 'preferencesStore', src: 'preferencesStore' },
  on: {
    'preferences.loaded': { actions: withEvent('adopt') },
    'theme.chosen': { actions: [withEvent('setTheme'), 'save'] },
    'zone.chosen': { actions: [withEvent('setZone'), 'save'] },
    'navGroup.toggled': { actions: [withEvent('setGroup'), 'save'] },
    'panel.toggled': { actions: ['togglePanel', 'save'] },
    'panel.unfold.requested': { actions: ['unfoldPanel', 'save'] },
  },
  initial: 'drawerClosed',
  states: {
    drawerClosed: { on: { 'drawer.open.requested': 'drawerOpen' } },
    drawerOpen: {
      tags: 'drawerOpen',
      // A wide window shows the sidebar itself, so the drawer closes.
      invoke: { id: 'viewport', src: 'viewport', input: (): ViewportInput => ({ wideFromPx: SIDEBAR_FROM_PX }) },
      on: { 'drawer.close.requested': 'drawerClosed', 'viewport.widened': 'drawerClosed' },
    },
  },
});

export type PreferencesActor = ActorRefFrom<typeof preferencesMachine>;
