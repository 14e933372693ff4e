import { describe, expect } from 'vitest';
import type { Paying } from '#machines/workspace/billing/setup/actors.ts';
import { paymentSetupMachine } from '#machines/workspace/billing/setup/machine.ts';
import { payingOf } from '#test/machines/billed.ts';
import { describeWalks } from './walk.ts';

const none = payingOf();
const method = { brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
const failing = payingOf({
  method,
  error: {
    ...({ why: 'declined', message: 'The card was declined.', at: '2026-04-15T10:00:00.000Z' } as const),
    ...{ next_try_at: null, others: [], version: 'v1' },
  },
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
      },
      ignored: {
        'Nothing has failed': 'retry.requested in loading, ready.source.{known, reading}',
        'Nothing is there':
          'removal.requested, removal.confirmed, removal.declined, reset.requested, paying.changed in failed, loading',
        'There is nothing to remove or to reset, or it is under way':
          'removal.requested, reset.requested at times in ready.{removal.closed, reset.idle}',
        'It is asked for already': 'removal.requested in ready.removal.{asking, removing}',
        'Nothing is asked': 'removal.confirmed, removal.declined in ready.removal.{closed, removing}',
        'It is under way': 'reset.requested in ready.reset.resetting',
      },
      cases: {
        'done loadPaying': [none, failing],
        'done removeMethod': [none.status],
        'done resetError': [{ ...failing.status, error: null }],
        'done autopayForm': saved,
        'done detailsForm': saved,
        'route.changed': [{ route: { screen: 'paymentSetup', orgUuid: 'o1' } }],
      },
      distinguish: ({ context: { paying } }: { context: { paying: Paying | null } }) => [
        paying?.status.method?.last4,
        paying?.status.error?.message,
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
