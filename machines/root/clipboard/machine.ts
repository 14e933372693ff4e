// Models the copying of a text: asked for, done or refused, and shown as such for a moment.
// Owned by the root for as long as the page lives; a new request takes the place of the one before.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { copyText } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** `label` names what is copied, for the announcement: "Project UUID". */
export type CopyRequest = { type: 'copy.requested'; text: string; label: string };

/** What was asked for last. */
type Copied = { text: string; label: string };

export const clipboardMachine = setup({
  types: {} as { context: Copied; events: CopyRequest; tags: 'copied' | 'refused' },
  actors: { copyText },
  // Milliseconds that a button says "Copied".
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
