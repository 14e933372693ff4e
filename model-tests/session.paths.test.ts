import { expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { pair } from '../test/machines/people.ts';
import { describeWalk } from './walk.ts';

describeWalk(sessionMachine, {
  tags: {
    loading: ['resolving'],
    signedIn: ['signedIn', 'signingOut'],
    usable: ['signedIn.fresh', 'signedIn.usingOld', 'signedOut'],
  },
  ignored: {
    'The person leaves: a pair renewed elsewhere belongs to the session that ends': 'tokens.changed in signingOut',
    'No session is there to end, or it is ending':
      'call.refused, signOut.requested, account.deleted in resolving, signedOut, signingOut',
    'It is not decided yet whether somebody is signed in; or the person leaves':
      'signIn.succeeded in resolving, signingOut',
    'Nothing to renew, or under way: calls wait for it':
      'call.starting in resolving, signedIn.refreshing, signedOut, signingOut',
  },
  refused: [
    {
      states: ['signedIn'],
      event: { type: 'tokens.changed', tokens: pair('other', 3000) },
      when: ({ context }) => context.tokens?.access === pair('other').access,
      why: 'It is the pair that this tab has',
    },
  ],
  cases: {
    'done restoreTokens': [null, pair('stored')],
    'failed restoreTokens': [
      new CallError({ kind: 'HTTP', status: 401, message: 'Over.' }),
      new CallError({ kind: 'OTHER', message: 'No storage.' }),
    ],
    'done refreshTokens': [pair('fresh', 2000)],
    'call.starting': [{ now: 5000 }],
    'call.refused': ({ context }) => [{ access: context.tokens?.access ?? null, from: '/' }],
    'signIn.succeeded': [{ tokens: pair('signIn') }],
    'tokens.changed': [{ tokens: null }, { tokens: pair('other', 3000) }],
  },
  distinguish: ({ context }) => context.tokens?.access,
  states: {
    'signedIn.fresh': (snapshot) => expect(snapshot.context.tokens).not.toBeNull(),
    signedOut: (snapshot) => expect(snapshot.context.tokens).toBeNull(),
  },
});
