import { describe, expect } from 'vitest';
import type { PaymentAttempt } from '#contract/billing.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { attemptOf } from '#test/machines/billed.ts';
import { describeWalks } from './walk.ts';

const ended = new CallError({ kind: 'HTTP', status: 409, errorType: 'payment_ended', message: 'It is over.' });
const gone = new CallError({ kind: 'HTTP', status: 404, message: 'There is no such thing.' });
const told = (kind: PaymentAttempt['kind']) =>
  (['open', 'processing', 'succeeded', 'failed', 'canceled'] as const).map((state) =>
    attemptOf({ kind, state, amount_micros: kind === 'setup' ? null : 20_000_000 }),
  );
const at = (attempt?: string) => ({
  type: 'route.changed',
  route: { screen: 'billingOverview', orgUuid: 'o1', ...(attempt === undefined ? {} : { attempt }) },
});

type Walked = Parameters<typeof describeWalks>[1];

const walked: Walked = {
  refused: [
    {
      states: [''],
      event: at(),
      when: ({ context }) => context.attemptInAddress === null,
      why: 'The address told of no payment before: what is begun goes on',
    },
    ...['a1', 'a2'].map((attempt) => ({
      states: [''],
      event: at(attempt),
      when: ({ context }: { context: { attemptInAddress: string | null } }) => context.attemptInAddress === attempt,
      why: 'It is shown already: something else has changed in the address',
    })),
  ],
  tags: {
    dialog: ['choosing', 'confirming'],
    confirming: ['confirming'],
    leaving: ['handingOver'],
    following: ['following'],
    overdue: ['following.overdue'],
    readFailed: ['following.readFailed'],
    succeeded: ['ended.succeeded'],
    failed: ['ended.failed'],
    canceled: ['ended.canceled'],
    unknown: ['unknown'],
  },
  ignored: {
    'One is under way': 'begin.requested in following, handingOver, choosing, confirming',
    'There is no question':
      'amount.confirmed, amount.revised, dialog.dismissed in idle, following, handingOver, choosing, ended, unknown',
    'There is no outcome': 'outcome.dismissed in idle, choosing, confirming, handingOver, following.{reading, waiting}',
    'It is not waited for, or asked for already':
      'check.requested, retry.requested in idle, choosing, confirming, handingOver, ended, unknown, following.{reading, waiting}',
    'It was read': 'retry.requested in following.overdue',
    'Retry reads it': 'check.requested in following.readFailed',
    'Nothing is waited for': 'page.requested, screen.stale in idle, choosing, confirming, handingOver, ended, unknown',
    'It has left the page': 'page.requested at times in following',
  },
  cases: {
    'done amountForm': [{ outcome: 'done', answer: 20_000_000, values: {} }, { outcome: 'dismissed' }],
    'done takeAttempt': ['a1'],
    'done openPage': ['https://pay.example/1'],
    'failed openPage': [ended, new Error('No.')],
    'done readAttempt': told('payment'),
    'failed readAttempt': [gone, new Error('No.')],
    'route.changed': [at(), at('a2')],
  },
  distinguish: ({ context: { status, attemptInAddress, attempt, failure } }) => [
    status?.state,
    attemptInAddress,
    attempt,
    failure === null,
  ],
  merge: true,
  states: {
    choosing: ({ context }) => expect([context.kind, context.failure]).toEqual(['payment', null]),
    confirming: ({ context }) => expect(context.amountMicros).toBe(20_000_000),
    'handingOver.asking': ({ context }) => expect(context.failure).toBeNull(),
    'handingOver.leaving': ({ context }) => expect(context.url).toBe('https://pay.example/1'),
    'ended.succeeded': ({ context }) => expect(context.status?.state).toBe('succeeded'),
    'ended.failed': ({ context }) => expect(context.status?.state).toBe('failed'),
    'ended.canceled': ({ context }) => expect(context.status?.state).toBe('canceled'),
    'following.readFailed': ({ context }) => expect(context.failure).not.toBeNull(),
  },
};

/** Where it is asked for again and again, and nothing else happens. */
const patience = {
  cases: { 'done readAttempt': told('payment').slice(0, 1) },
  distinguish: ({ context: { reads } }: { context: { reads: number } }) => reads,
  without: ['begin.', 'route.', 'page.', 'screen.', 'xstate.error.'],
};

describe('BIL-05 BIL-06: a payment, or the setup of a payment method', () => {
  const setup = { 'done readAttempt': told('setup') };
  describeWalks(paymentMachine, walked, {
    'a payment that is begun': { input: { orgUuid: 'o1', kind: 'payment', attemptInAddress: null } },
    'a payment that somebody comes back from': { input: { orgUuid: 'o1', kind: 'payment', attemptInAddress: 'a1' } },
    'a payment that takes long': { input: { orgUuid: 'o1', kind: 'payment', attemptInAddress: 'a1' }, ...patience },
    'a setup that is begun': { input: { orgUuid: 'o1', kind: 'setup', attemptInAddress: null }, cases: setup },
    'a setup that somebody comes back from': {
      input: { orgUuid: 'o1', kind: 'setup', attemptInAddress: 'a1' },
      cases: setup,
    },
  });
});
