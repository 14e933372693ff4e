import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { inviteMachine } from '#machines/visitor/invite/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { visitorMachine } from '#machines/visitor/machine.ts';
import { pair } from '../test/machines/people.ts';
import { describeWalks } from './walk.ts';

const refusals = ['token_used', 'token_expired', 'token_revoked', 'token_not_found', 'limit_exceeded'].map(
  (errorType) => new CallError({ message: errorType, kind: 'HTTP', errorType }),
);
const ended = { type: 'session.ended', reason: 'signedOut', from: null };

describe('ACC-10: an invitation', () => {
  describeWalks(
    inviteMachine,
    {
      tags: {
        loading: ['reading', 'readingUser'],
        invalid: ['invalid'],
        used: ['invalid.used'],
        expired: ['invalid.expired'],
        revoked: ['invalid.revoked'],
        failed: ['failed'],
        signedOut: ['signedOut'],
        wrongUser: ['wrongUser', 'signingOut'],
        leaving: ['signingOut'],
        invited: ['invited', 'accepting'],
        accepting: ['accepting'],
        joined: ['joined'],
      },
      ignored: {
        'Nothing has failed':
          'retry.requested in accepting, invalid, invited, joined, reading, readingUser, signedOut, signingOut, wrongUser',
        'Nobody is signed in as somebody else':
          'signOut.requested in accepting, failed, invalid, invited, joined, reading, readingUser, signedOut, signingOut',
        'The invitation is not there to be accepted, or is answered already':
          'accept.requested in accepting, failed, invalid, joined, reading, readingUser, signedOut, signingOut, wrongUser',
      },
      cases: {
        'session.ended': [ended],
        'done readInvitation': [
          {
            organization: { name: 'Engines' },
            email: 'Ann@example.com',
            role: 'member',
            invited_by: 'bob@example.com',
          },
        ],
        'failed readInvitation': refusals,
        'done readUser': [{ email: 'ann@EXAMPLE.com' }, { email: 'bob@example.com' }],
        'done acceptInvitation': [{ organization: { uuid: 'o1' } }],
        'failed acceptInvitation': [
          ...refusals,
          new CallError({ message: 'Not yours.', kind: 'HTTP', errorType: 'wrong_user' }),
        ],
      },
      distinguish: ({ context }) => [context.isSignedIn, context.invitation !== null],
      states: {
        signedOut: ({ context }) => expect(context).toMatchObject({ isSignedIn: false, email: '' }),
        invited: ({ context }) => expect(context).toMatchObject({ isSignedIn: true, email: 'ann@EXAMPLE.com' }),
        joined: ({ context }) => expect(context.orgUuid).toBe('o1'),
      },
    },
    {
      'signed in': { input: { token: 't', isSignedIn: true } },
      'signed out': { input: { token: 't', isSignedIn: false } },
    },
  );
});

const routes: Route[] = [
  { screen: 'signUp', from: '/invite/t/' },
  { screen: 'resendActivation' },
  { screen: 'activation', token: 'a' },
  { screen: 'activation', token: 'b' },
  { screen: 'passwordRecovery' },
  { screen: 'passwordReset', token: 'a' },
  { screen: 'ssoCallback', query: '?code=c' },
  { screen: 'ssoCallback', query: '' },
  { screen: 'invite', token: 'a' },
];
const outcomes = (isNew = false) => [
  { tokens: pair('new'), from: '/user/?poi=x', isNew: false },
  { tokens: pair('new'), from: null, isNew },
];

describe('the public screens', () => {
  describeWalks(
    visitorMachine,
    {
      ignored: {},
      cases: {
        'route.changed': routes.map((route) => ({ route })),
        'session.ended': [ended],
        'invitation.read': [{ token: 't', email: 'ann@example.com' }],
        'memberships.stale': [{ route: { screen: 'organization', orgUuid: 'o1' } }],
        'done readInvitation': [{ email: 'ann@example.com' }],
        'done activation': outcomes(),
        'done passwordReset': outcomes(),
        'done ssoCallback': outcomes(true),
      },
      merge: true,
      distinguish: ({ context }) => [context.route, context.invited],
      states: {
        'signUp.readingInvitation': ({ children }) => expect(children).toHaveProperty('readInvitation'),
        done: (snapshot) => expect(snapshot.output.tokens).toEqual(pair('new')),
        invite: (snapshot) => expect(snapshot.children).toHaveProperty('invite'),
      },
    },
    { 'from sign-up': { input: { route: routes[0], isSignedIn: false, invited: null } } },
  );
});
