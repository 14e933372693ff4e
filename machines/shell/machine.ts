// Models what of the console's frame is open: the drawer of small screens, and one of the two switchers with its search.
// Owned by the root; going anywhere closes both.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { RouteChanged } from '../route.ts';

export type Switcher = 'organization' | 'project';

export type ShellEvent =
  | RouteChanged
  | { type: 'drawer.requested' }
  | { type: 'drawer.dismissed' }
  | { type: 'switcher.requested'; switcher: Switcher }
  | { type: 'switcher.dismissed' }
  | { type: 'search.changed'; query: string };

export const shellMachine = setup({
  types: {} as { context: { query: string }; events: ShellEvent; tags: 'drawerOpen' | 'organizationSwitcherOpen' | 'projectSwitcherOpen' },
  guards: { isOrganization: (_, { switcher }: { switcher: Switcher }) => switcher === 'organization' },
  actions: {
    keepQuery: assign((_, { query }: { query: string }) => ({ query })),
    forgetQuery: assign({ query: '' }),
  },
}).createMachine({
  id: 'shell',
  context: { query: '' },
  type: 'parallel',
  states: {
    drawer: {
      initial: 'closed',
      states: {
        closed: { on: { 'drawer.requested': 'open' } },
        open: { tags: 'drawerOpen', on: { 'drawer.dismissed': 'closed', 'route.changed': 'closed' } },
      },
    },
    switcher: {
      initial: 'closed',
      states: {
        closed: {
          entry: 'forgetQuery',
          on: {
            'switcher.requested': [
              { guard: { type: 'isOrganization', params: ({ event }) => event }, target: 'organization' },
              { target: 'project' },
            ],
          },
        },
        organization: { tags: 'organizationSwitcherOpen' },
        project: { tags: 'projectSwitcherOpen' },
      },
      on: {
        'switcher.dismissed': '.closed',
        'route.changed': '.closed',
        'search.changed': { actions: { type: 'keepQuery', params: ({ event }) => event } },
      },
    },
  },
});
export type ShellActor = ActorRefFrom<typeof shellMachine>;
