// Models the API keys of a project: the list, creating a key, whose secret is shown once, and revoking one.
// Owned by the workspace, while the screen of the API keys is open.
import { assign, not, raise, setup, stateIn, type ActorRefFrom } from 'xstate';
import type { ApiKey } from '#contract/api-keys.ts';
import { type Failure, failureOf, isGone } from '../../shared/failure.ts';
import { draftOf, type Draft } from '../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../shared/form/ends.ts';
import type { ToastRequested } from '../../shared/appServices.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import { secretRevealMachine } from '../../shared/secretReveal/machine.ts';
import { loadKeys, type MemberKey, revokeKey } from './actors.ts';
import { firstCallMachine } from './firstCall/machine.ts';
import { keyForm } from './form.ts';
import { NEWEST_FIRST, ordered, type KeyColumn, type KeyOrder } from './order.ts';
import { loadedStates } from '../../shared/loaded.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { failure, success } from '../say.ts';

type Input = {
  orgUuid: string;
  projectUuid: string;
  /** Whether the address asks to create a key. */
  isAsked: boolean;
  /** Input from before the session ended. */
  drafts: readonly Draft[];
};

type ApiKeysContext = Input & {
  keys: readonly ApiKey[];
  order: KeyOrder;
  failure: Failure | null;
  /** The new key; its secret is here only to be passed to `secretReveal`. */
  made: { secret: string; name: string; keyUuid: string; baseUrl: string } | null;
  /** The key that the dialog asks about, or that is being revoked. */
  revoking: ApiKey | null;
  /** UUIDs of revoked keys, to leave out of a list that was requested before. */
  revoked: readonly string[];
};

const KEY_REVOKED = 'Success! API key was revoked.';
const KEY_NOT_REVOKED = 'Error! Failed to revoke API key.';

const setupApiKeys = setup({
  types: {} as {
    context: ApiKeysContext;
    input: Input;
    events:
      | { type: 'retry.requested' }
      | { type: 'column.chosen'; column: KeyColumn }
      | { type: 'key.create.requested' }
      | { type: 'revoke.requested'; key: ApiKey }
      | { type: 'revoke.confirmed' }
      | { type: 'revoke.dismissed' }
      /** Raised for the list. */
      | { type: 'key.revoked' };
    tags: 'loading' | 'failed' | 'empty' | 'confirming' | 'revoking';
    children: {
      loadKeys: 'loadKeys';
      revokeKey: 'revokeKey';
      keyForm: 'keyForm';
      secretReveal: 'secretReveal';
      firstCall: 'firstCall';
    };
  },
  actors: { loadKeys, revokeKey, keyForm, secretReveal: secretRevealMachine, firstCall: firstCallMachine },
  guards: {
    ...formGuards,
    isConfirming: stateIn({ keys: { ready: 'confirming' } }),
    isRevoking: stateIn({ revocation: 'revoking' }),
    /** Somebody else has revoked it, which counts as success. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isAsked: ({ context }) => context.isAsked,
    hasNone: ({ context }) => context.keys.length === 0,
    hasDraft: ({ context: { drafts, projectUuid } }) => draftOf(drafts, 'keyForm', { projectUuid }) !== undefined,
  },
  actions: {
    setKeys: assign(({ context: { revoked } }, keys: readonly ApiKey[]) => ({
      keys: keys.filter(({ uuid }) => !revoked.includes(uuid)),
      failure: null,
    })),
    setOrder: assign(({ context: { order } }, { column }: { column: KeyColumn }) => ({
      order: ordered(order, column),
    })),
    setFailure: assign(failureOf),
    // Does not reload the list, because loading would leave `revealing`, which shows the secret; its `onDone` reloads.
    setMade: assign((_, { key, api_key: { name, uuid }, baseUrl }: MemberKey) => ({
      made: { secret: key, name, keyUuid: uuid, baseUrl },
    })),
    clearMade: assign({ made: null }),
    setRevoking: assign((_, { key }: { key: ApiKey }) => ({ revoking: key })),
    dropRevoked: assign(({ context: { keys, revoking, revoked } }) => ({
      keys: keys.filter(({ uuid }) => uuid !== revoking?.uuid),
      revoked: revoking ? [...revoked, revoking.uuid] : revoked,
      revoking: null,
    })),
    sayRevoked: raise({ type: 'key.revoked' }),
    clearRevoking: assign({ revoking: null }),
    clearAsked: assign({ isAsked: false }),
    clearDrafts: assign({ drafts: [] }),
    sendToApp: sendToApp<ToastRequested | NavigateRequested>(),
  },
});

const placeOf = ({ projectUuid }: Input) => ({ projectUuid });

export const apiKeysMachine = setupApiKeys.createMachine({
  id: 'apiKeys',
  context: ({ input }) => ({
    ...input,
    keys: [],
    order: NEWEST_FIRST,
    failure: null,
    made: null,
    revoking: null,
    revoked: [],
  }),
  type: 'parallel',
  on: { 'column.chosen': { actions: withEvent('setOrder') } },
  states: {
    keys: {
      initial: 'loading',
      states: {
        ...loadedStates('loadKeys', placeOf, { target: 'ready', actions: withOutput('setKeys') }),
        ready: {
          initial: 'deciding',
          on: { 'key.create.requested': '.making' },
          states: {
            deciding: {
              always: [
                {
                  guard: 'isAsked',
                  target: 'making',
                  // Removes `isCreating` from the address, so that a reload does not open the form again.
                  actions: [
                    'clearAsked',
                    {
                      type: 'sendToApp',
                      params: ({ context: { orgUuid, projectUuid } }) => ({
                        type: 'navigate.requested',
                        to: { screen: 'apiKeys', orgUuid, projectUuid },
                        replace: true,
                      }),
                    },
                  ],
                },
                { guard: 'hasDraft', target: 'making' },
                { guard: 'hasNone', target: 'empty' },
                { target: 'listed' },
              ],
            },
            empty: { tags: 'empty' },
            listed: {
              on: {
                // One at a time.
                'revoke.requested': {
                  guard: not('isRevoking'),
                  target: 'confirming',
                  actions: withEvent('setRevoking'),
                },
                'key.revoked': 'deciding',
              },
            },
            making: {
              exit: 'clearDrafts',
              on: { 'key.create.requested': {} },
              invoke: {
                id: 'keyForm',
                src: 'keyForm',
                input: ({ context: { projectUuid, drafts } }) => ({
                  about: { projectUuid },
                  draft: draftOf(drafts, 'keyForm', { projectUuid }),
                }),
                onDone: formEnds(
                  { target: 'revealing', actions: givenAnswer('setMade') },
                  { target: 'deciding' },
                  // Closed before the server answered: the key may have been created.
                  { target: '#apiKeys.keys.loading' },
                ),
              },
            },
            revealing: {
              exit: 'clearMade',
              on: { 'key.create.requested': {} },
              invoke: [
                {
                  id: 'secretReveal',
                  src: 'secretReveal',
                  input: ({ context }) => context.made ?? { secret: '', name: '' },
                  onDone: '#apiKeys.keys.loading',
                },
                {
                  id: 'firstCall',
                  src: 'firstCall',
                  input: ({ context: { projectUuid, made } }) => ({ projectUuid, keyUuid: made?.keyUuid ?? '' }),
                },
              ],
            },
            confirming: {
              tags: 'confirming',
              on: {
                'revoke.confirmed': 'deciding',
                'revoke.dismissed': { target: 'deciding', actions: 'clearRevoking' },
              },
            },
          },
        },
      },
    },
    // A separate region, so that a revocation goes on whatever else is opened.
    revocation: {
      initial: 'idle',
      states: {
        idle: { on: { 'revoke.confirmed': { guard: 'isConfirming', target: 'revoking' } } },
        revoking: {
          tags: 'revoking',
          invoke: {
            id: 'revokeKey',
            src: 'revokeKey',
            input: ({ context }) => ({ projectUuid: context.projectUuid, keyUuid: context.revoking?.uuid ?? '' }),
            onDone: {
              target: 'idle',
              actions: ['dropRevoked', 'sayRevoked', success(KEY_REVOKED)],
            },
            onError: [
              {
                guard: withEvent('isGone'),
                target: 'idle',
                actions: ['dropRevoked', 'sayRevoked', success(KEY_REVOKED)],
              },
              {
                target: 'idle',
                actions: ['clearRevoking', failure(KEY_NOT_REVOKED)],
              },
            ],
          },
        },
      },
    },
  },
});

export type ApiKeysActor = ActorRefFrom<typeof apiKeysMachine>;
