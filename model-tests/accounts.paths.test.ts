import { describe, expect } from 'vitest';
import { emailLinkMachine } from '#machines/visitor/emailLink/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { passwordLinkMachine } from '#machines/visitor/passwordLink/machine.ts';
import { singleSignOnMachine } from '#machines/visitor/singleSignOn/machine.ts';
import { ssoCallbackMachine } from '#machines/visitor/ssoCallback/machine.ts';
import { pair } from '../test/machines/people.ts';
import { describeWalk, describeWalks } from './walk.ts';

const sent = { outcome: 'done', answer: undefined, values: { email: 'ann@example.com', purpose: 'signUp', from: '' } };
const refusals = ['token_used', 'token_expired', 'token_not_found', 'limit_exceeded'].map(
  (errorType) => new CallError({ message: errorType, kind: 'HTTP', errorType }),
);

describe('ACC-02, ACC-04, ACC-05: asking for an e-mail', () => {
  describeWalk(emailLinkMachine, {
    tags: { sent: ['sent'], sending: ['sent.sendingAgain'] },
    ignored: {
      'The email was sent': 'email.suggested in sent',
      'The form is there already': 'otherAddress.requested in asking',
      'Nothing was sent yet, or it is being sent': 'sendAgain.requested in asking, sent.sendingAgain',
    },
    input: { purpose: 'signUp', email: '', from: '/user/' },
    cases: {
      'done form': [sent],
      'email.suggested': [{ email: 'ann@example.com' }],
    },
    states: {
      sent: ({ context }) =>
        expect(context).toMatchObject({ email: 'ann@example.com', purpose: 'signUp', from: '/user/' }),
    },
  });
});

describe('ACC-03, ACC-06: a link to choose a password', () => {
  describeWalk(passwordLinkMachine, {
    tags: {
      loading: ['checking'],
      invalid: ['invalid'],
      used: ['invalid.used'],
      expired: ['invalid.expired'],
      failed: ['failed'],
    },
    ignored: { 'Nothing has failed': 'retry.requested in checking, choosingPassword, invalid' },
    input: { purpose: 'activation', token: 't' },
    cases: {
      'done readLink': [{ email: 'ann@example.com', from: '/user/' }],
      'failed readLink': refusals,
      'done form': [
        { outcome: 'done', answer: pair('new'), values: {} },
        { outcome: 'refused', failure: { message: 'Used.', kind: 'HTTP', errorType: 'token_used' } },
      ],
    },
    states: {
      done: (snapshot) => expect(snapshot.output).toEqual({ tokens: pair('new'), from: '/user/' }),
    },
  });
});

describe('ACC-07: leaving for the identity provider', () => {
  describeWalk(singleSignOnMachine, {
    tags: { leaving: ['asking', 'leaving'] },
    ignored: { 'It is under way already': 'signOn.requested in asking, leaving' },
    input: { from: '/user/' },
    cases: { 'done requestSignOn': ['https://idp.example/'] },
    states: {
      leaving: ({ context }) => expect(context.url).toBe('https://idp.example/'),
    },
  });
});

const lost = new CallError({ message: 'Offline.', kind: 'FETCH_ERROR' });
const refused = new CallError({ message: 'The provider refused.', kind: 'HTTP', status: 400 });

describe('ACC-07 CON-08: back from the identity provider', () => {
  describeWalks(
    ssoCallbackMachine,
    {
      tags: {
        loading: ['recalling', 'exchanging'],
        empty: ['empty'],
        failed: ['failed'],
        newcomer: ['asking', 'creating'],
        creating: ['creating'],
      },
      ignored: {
        'Nothing has failed': 'retry.requested in asking, creating, empty, exchanging, recalling',
        'The code is spent: only a new sign-on helps': 'retry.requested at times in failed',
        'No account is offered': 'account.create.requested in creating, empty, exchanging, failed, recalling',
      },
      cases: {
        'done exchangeQuery': [
          { outcome: 'signed_in', tokens: pair('known'), from: '/user/' },
          {
            outcome: 'unknown_user',
            signup_token: 's',
            email: 'ann@example.com',
            name: 'Ann',
            from: '/user/',
          },
        ],
        'failed exchangeQuery': [refused, lost],
        'done createAccount': [pair('new')],
        'failed createAccount': [lost, refusals[1]],
        'done recallNewcomer': [null, { signupToken: 's', email: 'ann@example.com', name: 'Ann', from: '/user/' }],
      },
      distinguish: ({ context }) => context.failure?.kind,
      states: {
        failed: (snapshot) =>
          expect(snapshot.can({ type: 'retry.requested' })).toBe(snapshot.context.failure.kind !== 'HTTP'),
        asking: ({ context }) =>
          expect(context.newcomer).toEqual({ signupToken: 's', email: 'ann@example.com', name: 'Ann', from: '/user/' }),
        done: (snapshot) =>
          expect(snapshot.output).toMatchObject({
            tokens: { access: expect.stringMatching(/known|new/) },
            from: '/user/',
          }),
      },
    },
    { 'with an answer': { input: { query: '?code=c&state=s' } }, 'without one': { input: { query: '' } } },
  );
});
