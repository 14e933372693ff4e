// Models a secret that is shown once: it is masked until revealed, and the dialog asks before an uncopied one is lost.
// Owned by the chart that made the secret, while the dialog with it is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { copyText } from '../copyText.ts';
import { withEvent } from '../withEvent.ts';
import { unsavedWork } from '../unsavedWork.ts';

type SecretRevealInput = {
  secret: string;
  /** Name of the key or webhook. */
  name: string;
  /** Chooses the leave guard's question; an API key (`secret`) by default. */
  kind?: 'secret' | 'signingSecret';
};

type SecretRevealContext = Required<SecretRevealInput> & {
  /** The text that was copied last, or is being copied. */
  text: string;
  isShown: boolean;
};

export const secretRevealMachine = setup({
  types: {} as {
    context: SecretRevealContext;
    input: SecretRevealInput;
    events:
      | { type: 'visibility.toggled' }
      /** The secret, or a text that contains it. */
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
    // Not copied yet: the dialog asks before it closes, the leave guard before the page is left.
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
        // The browser refused: the person may not have copied it by hand.
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
