import { describe, expect } from 'vitest';
import { rootMachine } from '#machines/root/machine.ts';
import { sectionOf } from '#machines/root/routes.ts';
import type { Route } from '#machines/shared/route.ts';
import { pair, settings } from '../test/machines/people.ts';
import { describeWalk, FAILURE, failedBy } from './walk.ts';

const routes: Route[] = [
  { screen: 'home' },
  { screen: 'signIn', from: '/user/' },
  { screen: 'signUp' },
  { screen: 'invite', token: 'a' },
];

describe('root', () => {
  describeWalk(rootMachine, {
    tags: {
      signedIn: ['running.account.signedIn'],
    },
    refused: [
      {
        states: ['running.account.signedIn.fetching'],
        event: { type: 'memberships.stale', route: null },
        why: 'It leads nowhere',
      },
    ],
    ignored: {
      'Only loading the page anew leads on':
        'session.started, session.ending, session.ended, route.changed in crashed, reloading',
      'Nobody is signed in who has memberships':
        'memberships.stale in crashed, reloading, running.account.{signedIn.ending, signedOut}',
      'There is no session to end': 'session.ending in running.account.signedOut',
      'There is no workspace':
        'workspace.recovered in crashed, reloading, running.account.{signedIn.{ending, fetching}, signedOut}',
      'No public screen is open':
        'invitation.read in crashed, reloading, running.screen.{entering, other, signIn, visitor.fetching}',
    },
    input: { settings, browserLanguages: [] },
    cases: {
      'xstate.error.*': [failedBy('unforeseen', FAILURE)],
      'route.changed': routes.map((route) => ({ route })),
      'session.ended': [
        { reason: 'signedOut', from: null },
        { reason: 'deleted', from: null },
        { reason: 'refused', from: '/user/' },
      ],
      'navigate.requested': [{ to: { screen: 'home' } }],
      'done signIn': [{ outcome: 'done', answer: pair('a'), values: {} }, { outcome: 'dismissed' }],
      'done visitor': [
        { tokens: pair('a'), to: { screen: 'user' } },
        { tokens: null, to: { screen: 'home' } },
      ],
      'invitation.read': [{ token: 't', email: 'ann@example.com' }],
      'memberships.stale': [{ route: null }, { route: { screen: 'home' } }],
    },
    merge: true,
    limit: 20_000,
    // Who enters goes on also when the address changes meanwhile.
    distinguish: ({ context }) => [sectionOf(context.route), context.redirectTo !== null],
    states: {
      crashed: (snapshot) => expect(snapshot.context.failure).not.toBeNull(),
      'running.account.signedIn.open': (snapshot) => expect(snapshot.children).toHaveProperty('workspace'),
    },
  });
});
