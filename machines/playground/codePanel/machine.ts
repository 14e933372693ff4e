// Models the panel that shows the present settings as code: open or not, and in which language.
// Owned by the playground; the language stays chosen while it is closed.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';

export type CodeLanguage = 'curl' | 'python' | 'node' | 'browser' | 'json';

export const codePanelMachine = setup({
  types: {} as {
    context: { language: CodeLanguage };
    events:
      | { type: 'code.requested' }
      | { type: 'code.dismissed' }
      | { type: 'language.selected'; language: CodeLanguage };
    tags: 'open';
  },
  actions: { setLanguage: assign((_, { language }: { language: CodeLanguage }) => ({ language })) },
}).createMachine({
  id: 'codePanel',
  context: { language: 'python' },
  initial: 'closed',
  states: {
    closed: { on: { 'code.requested': 'open' } },
    open: {
      tags: 'open',
      on: {
        'code.dismissed': 'closed',
        'language.selected': { actions: withEvent('setLanguage') },
      },
    },
  },
});

export type CodePanelActor = ActorRefFrom<typeof codePanelMachine>;
