// Models copying a text: the outcome shows for a moment, and a new request replaces the one before.
// Owned by the root, for as long as the page lives.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { copyText } from '../../shared/copyText.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** `label` names the text in the announcement, such as "Project UUID". */
export type CopyRequest = { type: 'copy.requested'; text: string; label: string };

/** The latest request. */
type Copied = { text: string; label: string };

export const clipboardMachine = setup({
  types: {} as { context: Copied; events: CopyRequest; tags: 'copied' | 'refused' },
  actors: { copyText },
  // How long a button says "Copied", milliseconds.
  delays: { confirmation: 2000 },
  actions: { keep: assign((_, { text, label }: Copied) => ({ text, label })) },
}).createMachine({
  id: 'clipboard',
  context: { text: '', label: '' },
  initial: 'idle',
  on: { 'copy.requested': { target: '.copying', actions: withEvent('keep') } },
  states: {
    idle: {},
    copying: {
      invoke: {
        id: 'copyText',
        src: 'copyText',
        input: ({ context }) => ({ text: context.text }),
        onDone: 'copied',
        onError: 'refused',
      },
    },
    copied: { tags: 'copied', after: { confirmation: 'idle' } },
    refused: { tags: 'refused', after: { confirmation: 'idle' } },
  },
});
export type ClipboardActor = ActorRefFrom<typeof clipboardMachine>;
