// Models the signing secret of a project's webhooks: showing it once, and replacing ("rolling") it after a question.
// Owned by `webhooks`. The secret is here only to be passed to `secretReveal`.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ShownSecret, SigningSecret } from '#contract/webhooks.ts';
import { failureOf, toFailure, type Failure } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { secretRevealMachine } from '../../../shared/secretReveal/machine.ts';
import { unsavedWork } from '../../../shared/unsavedWork.ts';
import { loadedStates } from '../../../shared/loaded.ts';
import { loadSecret, requestSecret, type SecretAction } from './actors.ts';

type Input = { projectUuid: string; mayManage: boolean };

/** From the owner: another page may have shown the secret. */
export type SecretStale = { type: 'secret.stale' };

type SigningSecretContext = Input & {
  /** Facts about the secret; null before they are read. */
  known: SigningSecret | null;
  failure: Failure | null;
  /** Why the server refused to show or roll it. */
  refusal: Failure | null;
  secret: string;
};

/** What the person may do with the secret: show it, or roll it once it was shown; null if they may do neither. */
export function offeredBy({ mayManage, known }: SigningSecretContext): SecretAction | null {
  if (!mayManage || known === null) return null;
  // A secret that nobody has seen needs no replacement.
  return known.was_shown ? 'roll' : 'show';
}

const setupSecret = setup({
  types: {} as {
    context: SigningSecretContext;
    input: Input;
    events:
      | { type: 'retry.requested' }
      | SecretStale
      | { type: 'show.requested' }
      | { type: 'roll.requested' }
      | { type: 'roll.confirmed' }
      | { type: 'roll.dismissed' };
    tags: 'loading' | 'failed' | 'confirming' | 'requesting';
    children: {
      loadSecret: 'loadSecret';
      rereadSecret: 'loadSecret';
      requestSecret: 'requestSecret';
      secretReveal: 'secretReveal';
      unsavedWork: 'unsavedWork';
    };
  },
  actors: { loadSecret, requestSecret, secretReveal: secretRevealMachine, unsavedWork },
  guards: {
    canShow: ({ context }) => offeredBy(context) === 'show',
    // What was shown stays so.
    isUnseen: ({ context }) => context.known?.was_shown === false,
    canRoll: ({ context }) => offeredBy(context) === 'roll',
  },
  actions: {
    setKnown: assign((_, known: SigningSecret) => ({ known, failure: null })),
    setFailure: assign(failureOf),
    setShown: assign((_, { secret, signing_secret }: ShownSecret) => ({ secret, known: signing_secret })),
    setRefusal: assign((_, { error }: { error: unknown }) => ({ refusal: toFailure(error) })),
    clearRefusal: assign({ refusal: null }),
    clearSecret: assign({ secret: '' }),
  },
});

const placeOf = ({ projectUuid }: Input) => ({ projectUuid });

/** Requests the secret. After a refusal or a lost answer, the facts are read again. */
const requesting = (wanted: SecretAction) =>
  setupSecret.createStateConfig({
    tags: 'requesting',
    entry: 'clearRefusal',
    invoke: [
      {
        id: 'requestSecret',
        src: 'requestSecret',
        input: ({ context: { projectUuid } }) => ({ projectUuid, wanted }),
        onDone: { target: 'revealing', actions: withOutput('setShown') },
        onError: { target: 'loading', actions: withEvent('setRefusal') },
      },
      // Leaving now would lose the answer under way.
      { id: 'unsavedWork', src: 'unsavedWork', input: { kind: 'signingSecret', scope: 'screen' } },
    ],
  });

export const signingSecretMachine = setupSecret.createMachine({
  id: 'signingSecret',
  context: ({ input }) => ({ ...input, known: null, failure: null, refusal: null, secret: '' }),
  initial: 'loading',
  states: {
    ...loadedStates('loadSecret', placeOf, { target: 'known', actions: withOutput('setKnown') }),
    known: {
      on: {
        'show.requested': { guard: 'canShow', target: 'showing' },
        'roll.requested': { guard: 'canRoll', target: 'confirming' },
        'secret.stale': { guard: 'isUnseen', target: '.rereading', reenter: true },
      },
      initial: 'current',
      states: {
        current: {},
        // Without an answer the old facts stay: the server shows a secret once, whatever a page offers.
        rereading: {
          invoke: {
            id: 'rereadSecret',
            src: 'loadSecret',
            input: ({ context }) => placeOf(context),
            onDone: { target: 'current', actions: withOutput('setKnown') },
            onError: 'current',
          },
        },
      },
    },
    confirming: { tags: 'confirming', on: { 'roll.confirmed': 'rolling', 'roll.dismissed': 'known' } },
    showing: requesting('show'),
    rolling: requesting('roll'),
    revealing: {
      exit: 'clearSecret',
      invoke: {
        id: 'secretReveal',
        src: 'secretReveal',
        input: ({ context: { secret } }) => ({ secret, name: 'Signing secret', kind: 'signingSecret' as const }),
        onDone: 'known',
      },
    },
  },
});

export type SigningSecretActor = ActorRefFrom<typeof signingSecretMachine>;
