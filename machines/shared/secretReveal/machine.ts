// Models a secret that is shown once: masked until asked for, copied, and asked about before it goes for good.
// Owned by whoever made the secret; it lives as long as the dialog that shows it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { copyText } from '../../root/clipboard/actors.ts';
import { withEvent } from '../withEvent.ts';
import { unsavedWork } from '../unsavedWork.ts';

type SecretRevealInput = {
  secret: string;
  /** What it is the secret of. */
  name: string;
  /** What is asked about where the page is left; an API key, unless told otherwise. */
  kind?: 'secret' | 'signingSecret';
};

type SecretRevealContext = Required<SecretRevealInput> & {
  /** What is copied or was last. */
  text: string;
  isShown: boolean;
};

export const secretRevealMachine = setup({
  types: {} as {
    context: SecretRevealContext;
    input: SecretRevealInput;
    events:
      | { type: 'visibility.toggled' }
      /** The secret, or a text that has it in it. */
      | { type: 'copy.requested'; text: string }
      | { type: 'dismiss.requested' }
      | { type: 'dismiss.confirmed' }
      | { type: 'dismiss.withdrawn' };
    tags: 'asking' | 'copied' | 'refused';
  },
  actors: { copyText, unsavedWork },
  actions: {
    toggle: assign(({ context }) => ({ isShown: !context.isShown })),
    setText: assign((_, { text }: { text: string }) => ({ text })),
    forget: assign({ secret: '', text: '' }),
  },
}).createMachine({
  id: 'secretReveal',
  context: ({ input }) => ({ kind: 'secret', ...input, text: '', isShown: false }),
  initial: 'kept',
  on: { 'visibility.toggled': { actions: 'toggle' } },
  states: {
    // Not copied yet: whatever way it is left, that is asked about first; the dialog's own ways here, all others by the guard.
    kept: {
      invoke: { id: 'unsavedWork', src: 'unsavedWork', input: ({ context: { kind } }) => ({ kind, scope: 'screen' }) },
      initial: 'fresh',
      states: {
        fresh: {
          on: { 'copy.requested': { target: 'copying', actions: withEvent('setText') }, 'dismiss.requested': 'asking' },
        },
        copying: {
          invoke: {
            id: 'copyText',
            src: 'copyText',
            input: ({ context: { text } }) => ({ text }),
            onDone: '#secretReveal.copied',
            onError: 'refused',
          },
          on: { 'dismiss.requested': 'asking' },
        },
        // It has to be copied by hand, and may not have been.
        refused: {
          tags: 'refused',
          on: { 'copy.requested': { target: 'copying', actions: withEvent('setText') }, 'dismiss.requested': 'asking' },
        },
        asking: { tags: 'asking', on: { 'dismiss.confirmed': '#secretReveal.gone', 'dismiss.withdrawn': 'fresh' } },
      },
    },
    copied: {
      tags: 'copied',
      on: { 'copy.requested': { target: 'kept.copying', actions: withEvent('setText') }, 'dismiss.requested': 'gone' },
    },
    gone: { type: 'final', entry: 'forget' },
  },
});

export type SecretRevealActor = ActorRefFrom<typeof secretRevealMachine>;
