// Models the command palette and the sheet of shortcuts: which is open, the query, and the active row.
// Owned by the loaded workspace. The view collects the commands from other charts.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { shortcutKeys, type ShortcutPressed } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

type PaletteContext = {
  query: string;
  /** Index among the rows that match the query; beyond the end it means the last one. */
  active: number;
};

export const paletteMachine = setup({
  types: {} as {
    context: PaletteContext;
    events:
      | ShortcutPressed
      /** By the person, by a chosen command, or by a change of screen. */
      | { type: 'palette.dismissed' }
      | { type: 'query.changed'; query: string }
      | { type: 'row.stepped'; by: number; count: number }
      | { type: 'row.pointed'; index: number };
    tags: 'paletteOpen' | 'sheetOpen';
    children: { shortcutKeys: 'shortcutKeys' };
  },
  actors: { shortcutKeys },
  guards: { hasRows: (_, { count }: { count: number }) => count > 0 },
  actions: {
    setQuery: assign((_, { query }: { query: string }) => ({ query, active: 0 })),
    step: assign(({ context }, { by, count }: { by: number; count: number }) => ({
      active: (Math.min(context.active, count - 1) + by + count) % count,
    })),
    point: assign((_, { index }: { index: number }) => ({ active: index })),
    forget: assign({ query: '', active: 0 }),
  },
}).createMachine({
  id: 'palette',
  context: { query: '', active: 0 },
  invoke: { id: 'shortcutKeys', src: 'shortcutKeys' },
  initial: 'closed',
  states: {
    closed: { on: { 'palette.requested': 'commands', 'shortcuts.requested': 'shortcuts' } },
    commands: {
      tags: 'paletteOpen',
      exit: 'forget',
      on: {
        'query.changed': { actions: withEvent('setQuery') },
        'row.stepped': { guard: withEvent('hasRows'), actions: withEvent('step') },
        'row.pointed': { actions: withEvent('point') },
        'shortcuts.requested': 'shortcuts',
        'palette.dismissed': 'closed',
      },
    },
    shortcuts: { tags: 'sheetOpen', on: { 'palette.requested': 'commands', 'palette.dismissed': 'closed' } },
  },
});

export type PaletteActor = ActorRefFrom<typeof paletteMachine>;
