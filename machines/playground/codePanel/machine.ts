// Models the panel that shows the present settings as code: whether it is open, and the chosen language.
// Owned by the playground; a closed panel keeps its language.
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
