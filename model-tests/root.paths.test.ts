import { describe, expect } from 'vitest';
import { rootMachine } from '#machines/root/machine.ts';
import type { Route } from '#machines/route.ts';
import { pair, settings } from '../test/machines/people.ts';
import { describeWalk, doneBy, failedBy } from './walk.ts';

const routes: Route[] = [
  { screen: 'home' },
  { screen: 'signIn', from: '/user/' },
  { screen: 'signUp' },
  { screen: 'resendActivation' },
  { screen: 'activation', token: 'a' },
  { screen: 'activation', token: 'b' },
];

describe('root', () => {
  describeWalk(rootMachine, {
    input: { settings, browserLanguages: [] },
    cases: {
      '*': [failedBy('unforeseen')],
      'route.changed': routes.map((route) => ({ type: 'route.changed', route })),
      'session.ended': [{ type: 'session.ended', reason: 'signedOut', from: null }, { type: 'session.ended', reason: 'refused', from: '/user/' }],
      'navigate.requested': [{ type: 'navigate.requested', to: { screen: 'home' } }],
      'toast.requested': [{ type: 'toast.requested', kind: 'error', text: 'Lost.' }],
      'xstate.done.actor.signIn': [doneBy('signIn', { outcome: 'done', answer: pair('a'), values: {} }), doneBy('signIn', { outcome: 'dismissed' })],
      'xstate.done.actor.activation': [doneBy('activation', pair('a')), doneBy('activation', null)],
    },
    merge: true,
    limit: 20_000,
    distinguish: ({ context }) => (context.route.screen === 'activation' ? context.route.token : ''),
    states: {
      crashed: (snapshot) => { expect(snapshot.context.failure).not.toBeNull(); },
      'running.account.signedIn.open': (snapshot) => { expect(snapshot.children).toHaveProperty('workspace'); },
    },
  });
});
