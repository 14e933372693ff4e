// Models the command palette and the sheet of shortcuts: which is open, the query, the active row, and what has the id
// that the query is.
// Owned by the loaded workspace. The view collects the commands from other charts.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { shortcutKeys, type ShortcutPressed } from './actors.ts';
import { lookupMachine, type LookupPlace } from './lookup.ts';
import { withEvent } from '../../shared/withEvent.ts';

type PaletteContext = {
  query: string;
  /** Index among the rows that match the query; beyond the end it means the last one. */
  active: number;
  /** The project in the address, whose ids can be found; null without one. */
  place: LookupPlace | null;
};

/** From the owner, when the address leads to another place, or the person's role there has changed. */
export type PlaceSelected = { type: 'place.selected'; place: LookupPlace | null };

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idIn = (query: string): string => query.trim().toLowerCase();

export const paletteMachine = setup({
  types: {} as {
    context: PaletteContext;
    events:
      | ShortcutPressed
      | PlaceSelected
      /** By the person, by a chosen command, or by a change of screen. */
      | { type: 'palette.dismissed' }
      | { type: 'query.changed'; query: string }
      | { type: 'row.stepped'; by: number; count: number }
      | { type: 'row.pointed'; index: number };
    tags: 'paletteOpen' | 'sheetOpen';
    children: { shortcutKeys: 'shortcutKeys'; lookup: 'lookup' };
  },
  actors: { shortcutKeys, lookup: lookupMachine },
  guards: {
    hasRows: (_, { count }: { count: number }) => count > 0,
    isId: ({ context }) => context.place !== null && ID.test(context.query.trim()),
  },
  actions: {
    setQuery: assign((_, { query }: { query: string }) => ({ query, active: 0 })),
    step: assign(({ context }, { by, count }: { by: number; count: number }) => ({
      active: (Math.min(context.active, count - 1) + by + count) % count,
    })),
    point: assign((_, { index }: { index: number }) => ({ active: index })),
    forget: assign({ query: '', active: 0 }),
    setPlace: assign((_, { place }: { place: LookupPlace | null }) => ({ place })),
  },
}).createMachine({
  id: 'palette',
  context: { query: '', active: 0, place: null },
  invoke: { id: 'shortcutKeys', src: 'shortcutKeys' },
  on: { 'place.selected': { actions: withEvent('setPlace') } },
  initial: 'closed',
  states: {
    closed: { on: { 'palette.requested': 'commands', 'shortcuts.requested': 'shortcuts' } },
    commands: {
      tags: 'paletteOpen',
      exit: 'forget',
      on: {
        'query.changed': { target: '.deciding', actions: withEvent('setQuery') },
        'row.stepped': { guard: withEvent('hasRows'), actions: withEvent('step') },
        'row.pointed': { actions: withEvent('point') },
        'shortcuts.requested': 'shortcuts',
        'palette.dismissed': 'closed',
      },
      initial: 'listing',
      states: {
        deciding: { always: [{ guard: 'isId', target: 'finding' }, { target: 'listing' }] },
        listing: {},
        finding: {
          invoke: {
            id: 'lookup',
            src: 'lookup',
            input: ({ context: { place, query } }) => {
              if (!place) throw new Error('No project to find an id in.');
              return { place, id: idIn(query) };
            },
          },
        },
      },
    },
    shortcuts: { tags: 'sheetOpen', on: { 'palette.requested': 'commands', 'palette.dismissed': 'closed' } },
  },
});

export type PaletteActor = ActorRefFrom<typeof paletteMachine>;
