import { describe, expect } from 'vitest';
import type { PaymentAttempt } from '#contract/billing.ts';
import type { Paying } from '#machines/workspace/billing/setup/actors.ts';
import { paymentSetupMachine } from '#machines/workspace/billing/setup/machine.ts';
import { attemptOf, payingOf } from '#test/machines/billed.ts';
import { describeWalks } from './walk.ts';

const none = payingOf();
const method = { brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
const failing = payingOf({
  method,
  error: {
    ...({ why: 'declined', message: 'The card was declined.', at: '2026-04-15T10:00:00.000Z' } as const),
    ...{ amount_micros: null, next_try_at: null, others: [], version: 'v1' },
  },
});
const chargeOf = (state: PaymentAttempt['state']): Paying => ({
  ...none,
  status: { ...none.status, method, attempt: attemptOf({ kind: 'autopay', state }) },
});
const saved = [{ outcome: 'done', answer: none.settings, values: {} }, { outcome: 'dismissed' }];

describe('BIL-05 BIL-07: the payment setup', () => {
  describeWalks(
    paymentSetupMachine,
    {
      tags: {
        loading: ['loading'],
        failed: ['failed'],
        outdated: ['ready.source.outdated'],
        asking: ['ready.removal.asking'],
        removing: ['ready.removal.removing'],
        resetting: ['ready.reset.resetting'],
        retrying: ['ready.reset.retrying'],
      },
      ignored: {
        'Nothing has failed': 'retry.requested in loading, ready.source.{known, reading}',
        'Nothing is there':
          'removal.requested, removal.confirmed, removal.declined, reset.requested, paying.changed in failed, loading',
        'There is nothing to remove or to reset, or it is under way':
          'removal.requested, reset.requested at times in ready.{removal.closed, reset.idle}',
        'It is asked for already': 'removal.requested in ready.removal.{asking, removing}',
        'Nothing is asked': 'removal.confirmed, removal.declined in ready.removal.{closed, removing}',
        'It is under way': 'reset.requested in ready.reset.{resetting, retrying}',
      },
      cases: {
        'done loadPaying': [none, failing, chargeOf('succeeded'), chargeOf('canceled')],
        'done removeMethod': [none.status],
        'done resetError': [{ ...failing.status, error: null }, chargeOf('processing').status],
        'done autopayForm': saved,
        'done detailsForm': saved,
        'route.changed': [{ route: { screen: 'paymentSetup', orgUuid: 'o1' } }],
      },
      distinguish: ({
        context: { paying, charge, retried },
      }: {
        context: { paying: Paying | null; charge: PaymentAttempt | null; retried: string | null };
      }) => [
        paying?.status.method?.last4,
        paying?.status.error?.message,
        paying?.status.attempt?.state,
        charge?.uuid ?? retried,
      ],
      merge: true,
      states: {
        'ready.removal.asking': ({ context }) => expect(context.paying).not.toBeNull(),
        'ready.source.outdated': ({ context }) => expect(context.failure).not.toBeNull(),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'that is read': {
        input: { orgUuid: 'o1', attempt: null, drafts: [] },
        without: ['xstate.done.actor.autopayForm', 'xstate.done.actor.detailsForm'],
      },
      'and its forms': {
        input: { orgUuid: 'o1', attempt: 'a1', drafts: [] },
        without: ['removal.', 'reset.', 'screen.'],
      },
    },
  );
});
