// Models the switchers of the sidebar: which one is open, and what is searched for in it.
// Owned by the root, which closes it when the person goes anywhere.
import { assign, setup, type ActorRefFrom } from 'xstate';

export type Switcher = 'organization' | 'project';

export type SwitcherEvent =
  | { type: 'switcher.requested'; switcher: Switcher }
  | { type: 'switcher.dismissed' }
  | { type: 'search.changed'; query: string };

export const switcherMachine = setup({
  types: {} as { context: { query: string }; events: SwitcherEvent; tags: 'organizationOpen' | 'projectOpen' },
  guards: { isOrganization: (_, { switcher }: { switcher: Switcher }) => switcher === 'organization' },
  actions: {
    keepQuery: assign((_, { query }: { query: string }) => ({ query })),
    forgetQuery: assign({ query: '' }),
  },
}).createMachine({
  id: 'switcher',
  context: { query: '' },
  initial: 'closed',
  states: {
    closed: {
      entry: 'forgetQuery',
      on: {
        'switcher.requested': [
          { guard: { type: 'isOrganization', params: ({ event }) => event }, target: 'open.organization' },
          { target: 'open.project' },
        ],
      },
    },
    open: {
      on: {
        'switcher.dismissed': 'closed',
        'search.changed': { actions: { type: 'keepQuery', params: ({ event }) => event } },
      },
      states: { organization: { tags: 'organizationOpen' }, project: { tags: 'projectOpen' } },
      initial: 'organization',
    },
  },
});
export type SwitcherActor = ActorRefFrom<typeof switcherMachine>;
