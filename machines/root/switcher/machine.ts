// Models the sidebar's menus: the two switchers with their search and marked entry, and the account menu.
// Owned by the root, which closes them when the route changes; one is open at a time.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { Route } from '../../shared/route.ts';
import { withEvent } from '../../shared/withEvent.ts';

export type Switcher = 'organization' | 'project' | 'account';

/** An organization or project in a switcher. */
export type SwitcherEntry = { uuid: string; name: string; to: Route };

export type SwitcherEvent =
  /** `at` is the index of the current entry; it is marked first. */
  | { type: 'switcher.requested'; switcher: Switcher; at?: number }
  /** `switcher` names the list that closed, which may report after another has opened; undefined for any. */
  | { type: 'switcher.dismissed'; switcher?: Switcher }
  | { type: 'search.changed'; query: string }
  | { type: 'row.stepped'; by: number; count: number }
  | { type: 'row.pointed'; index: number }
  /** Enter: `found` are the entries that match the search, in shown order. */
  | { type: 'entry.chosen'; found: readonly SwitcherEntry[] };

type SwitcherContext = {
  query: string;
  /** Index among the entries that match the search; beyond the end it means the last one. */
  active: number;
};

const activeOf = ({ active }: SwitcherContext, found: readonly SwitcherEntry[]): SwitcherEntry | undefined =>
  found[Math.min(active, found.length - 1)];

/** The transition for a dismissal while `open` is open. */
const closes = (open: Switcher) => ({
  guard: {
    type: 'isDismissed' as const,
    params: ({ event }: { event: { switcher?: Switcher } }) => ({ ...event, open }),
  },
  target: '#switcher.closed' as const,
});

export const switcherMachine = setup({
  types: {} as {
    context: SwitcherContext;
    events: SwitcherEvent;
    tags: 'organizationOpen' | 'projectOpen' | 'accountOpen';
  },
  guards: {
    isFor: (_, { switcher, wanted }: { switcher: Switcher; wanted: Switcher }) => switcher === wanted,
    isDismissed: (_, { switcher, open }: { switcher?: Switcher; open: Switcher }) =>
      switcher === undefined || switcher === open,
    hasRows: (_, { count }: { count: number }) => count > 0,
    isFound: ({ context }, { found }: { found: readonly SwitcherEntry[] }) => activeOf(context, found) !== undefined,
  },
  actions: {
    markCurrent: assign((_, { at = 0 }: { at?: number }) => ({ active: Math.max(at, 0) })),
    setQuery: assign((_, { query }: { query: string }) => ({ query, active: 0 })),
    step: assign(({ context }, { by, count }: { by: number; count: number }) => ({
      active: (Math.min(context.active, count - 1) + by + count) % count,
    })),
    point: assign((_, { index }: { index: number }) => ({ active: index })),
    forget: assign({ query: '', active: 0 }),
    sendToApp: sendToApp<NavigateRequested>(),
  },
}).createMachine({
  id: 'switcher',
  context: { query: '', active: 0 },
  initial: 'closed',
  on: {
    'switcher.requested': [
      {
        guard: { type: 'isFor', params: ({ event }) => ({ ...event, wanted: 'organization' }) },
        target: '.open.organization',
        actions: ['forget', withEvent('markCurrent')],
      },
      {
        guard: { type: 'isFor', params: ({ event }) => ({ ...event, wanted: 'project' }) },
        target: '.open.project',
        actions: ['forget', withEvent('markCurrent')],
      },
      { target: '.account' },
    ],
  },
  states: {
    closed: { entry: 'forget' },
    open: {
      on: {
        'search.changed': { actions: withEvent('setQuery') },
        'row.stepped': { guard: withEvent('hasRows'), actions: withEvent('step') },
        'row.pointed': { actions: withEvent('point') },
        'entry.chosen': {
          guard: withEvent('isFound'),
          target: 'closed',
          actions: {
            type: 'sendToApp',
            params: ({ context, event }) => ({
              type: 'navigate.requested',
              to: activeOf(context, event.found)?.to ?? { screen: 'home' },
            }),
          },
        },
      },
      initial: 'organization',
      states: {
        organization: { tags: 'organizationOpen', on: { 'switcher.dismissed': closes('organization') } },
        project: { tags: 'projectOpen', on: { 'switcher.dismissed': closes('project') } },
      },
    },
    account: { tags: 'accountOpen', on: { 'switcher.dismissed': closes('account') } },
  },
});
export type SwitcherActor = ActorRefFrom<typeof switcherMachine>;
