// Models deleting one's account: checking what prevents it, and the confirmation.
// Owned by the user's page, while the dialog is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { AccountDeletionCheck, User } from '#contract/accounts.ts';
import { type Failure, failureOf } from '../../../../shared/failure.ts';
import { formEnds, formGuards } from '../../../../shared/form/ends.ts';
import type { FormResult } from '../../../../shared/form/types.ts';
import { withOutput } from '../../../../shared/withEvent.ts';
import { sendToApp, type AccountDeleted, type SignOutRequested } from '../../../../shared/appServices.ts';
import { checkDeletion } from '../actors.ts';
import { accountDeletionForm } from './form.ts';
import { reading } from '../../../../shared/loaded.ts';
import { UNREAD } from '../../../../shared/unread.ts';

type DeletionContext = { user: User; check: AccountDeletionCheck | null; failure: Failure | null };

export const accountDeletionMachine = setup({
  types: {} as {
    context: DeletionContext;
    input: { user: User };
    events: { type: 'retry.requested' } | { type: 'deletion.dismissed' } | { type: 'signIn.requested' };
    tags: 'loading' | 'failed' | 'blocked' | 'unconfirmed';
    children: { checkDeletion: 'checkDeletion'; accountDeletionForm: 'accountDeletionForm' };
  },
  actors: { checkDeletion, accountDeletionForm },
  guards: {
    ...formGuards,
    isBlocked: (_, { organizations }: AccountDeletionCheck) => organizations.length > 0,
    isUnconfirmed: (_, { confirmed_by }: AccountDeletionCheck) => confirmed_by === 'sign_in_again',
    isRefused: (_, { outcome }: FormResult<unknown, unknown>) => outcome === 'refused',
  },
  actions: {
    setCheck: assign((_, check: AccountDeletionCheck) => ({ check, failure: null })),
    setFailure: assign(failureOf),
    sendToApp: sendToApp<AccountDeleted | SignOutRequested>(),
  },
}).createMachine({
  id: 'accountDeletion',
  context: ({ input }) => ({ ...input, check: null, failure: null }),
  initial: 'checking',
  states: {
    checking: {
      tags: 'loading',
      on: { 'deletion.dismissed': 'ended' },
      invoke: reading('checkDeletion', () => undefined, 'failed', [
        { guard: withOutput('isBlocked'), target: 'blocked', actions: withOutput('setCheck') },
        { guard: withOutput('isUnconfirmed'), target: 'unconfirmed', actions: withOutput('setCheck') },
        { target: 'asking', actions: withOutput('setCheck') },
      ]),
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'checking', 'deletion.dismissed': 'ended' } },
    // The person first has to settle their organizations, possibly in another tab.
    blocked: { tags: 'blocked', on: { 'retry.requested': 'checking', 'deletion.dismissed': 'ended' } },
    unconfirmed: {
      tags: 'unconfirmed',
      on: {
        'signIn.requested': { actions: { type: 'sendToApp', params: { type: 'signOut.requested' } } },
        'deletion.dismissed': 'ended',
      },
    },
    asking: {
      invoke: {
        id: 'accountDeletionForm',
        src: 'accountDeletionForm',
        input: ({ context: { user } }) => ({
          about: { has_password: user.has_password ? 'yes' : '', email: user.email },
        }),
        onDone: [
          ...formEnds(
            { target: 'deleted', actions: { type: 'sendToApp', params: { type: 'account.deleted' } } },
            { target: 'checking', guard: withOutput('isRefused') },
          ),
          { target: 'ended' },
        ],
      },
    },
    // Waits for the end of the session.
    deleted: {},
    ended: { type: 'final' },
  },
});

export type AccountDeletionActor = ActorRefFrom<typeof accountDeletionMachine>;
