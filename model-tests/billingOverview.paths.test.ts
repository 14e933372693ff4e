import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { BillingOverview } from '#contract/billing.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { overviewOf } from '#test/machines/billed.ts';
import { later } from '#test/machines/people.ts';
import { alone } from '#test/machines/appServices.ts';
import { describeWalks } from './walk.ts';

const addresses = [
  { start_date: '2026-03-01', end_date: '2026-03-05' },
  { start_date: '2026-03-05', end_date: '2026-03-01' },
  {},
].map((view) => ({ type: 'route.changed', route: { screen: 'billingOverview', orgUuid: 'o1', ...view } }));
const walks = {
  'of this month': { input: { orgUuid: 'o1', view: {}, attempt: null }, without: ['route.'] },
  'at an address of no period': {
    input: { orgUuid: 'o1', view: { start_date: 'soon' }, attempt: null },
    without: ['preset.', 'days.'],
  },
};

describe('BIL-01 BIL-04: the billing overview', () => {
  describeWalks(
    overviewMachine,
    {
      tags: { loading: ['loading'], failed: ['failed'], outdated: ['shown.outdated'] },
      ignored: {
        'Nothing has failed': 'retry.requested in loading, shown.{current, rereading}',
        'What is read then is new': 'payment.ended in loading.dating',
      },
      cases: {
        'done readToday': ['2026-04-15'],
        'done loadOverview': [overviewOf()],
        'route.changed': [...addresses, { route: { screen: 'home' } }],
        'payment.dismissed': [{ failed: null }],
        'preset.chosen': [{ preset: 'last7Days' }],
        'days.edited': [{ start_date: '2026-03-02', end_date: '2026-03-31' }],
        'days.submitted': [
          { start_date: '2026-03-01', end_date: '2026-03-31' },
          { start_date: '2026-03-31', end_date: '2026-03-01' },
        ],
      },
      distinguish: ({ context: { range, view, wanted } }) => [range === null, view.start_date, wanted !== null],
      merge: true,
      states: {
        shown: ({ context }) => expect(context.overview).not.toBeNull(),
        'shown.outdated': ({ context }) => expect(context.failure).not.toBeNull(),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    walks,
  );

  /** The overview, whose reads end as the test says. */
  function begun() {
    const reads: ReturnType<typeof later<BillingOverview>>[] = [];
    const actor = createActor(
      alone(overviewMachine).provide({
        actors: {
          payment: paymentMachine.provide({
            actors: { attemptMemory: fromCallback(() => undefined) },
          }),
          readToday: fromPromise(() => Promise.resolve('2026-04-15')),
          loadOverview: fromPromise(() => {
            const read = later<BillingOverview>();
            reads.push(read);
            return read.promise;
          }),
        },
      }),
      { input: { orgUuid: 'o1', view: {}, attempt: null } },
    ).start();
    return { actor, reads, fetching: () => waitFor(actor, (snapshot) => snapshot.matches({ loading: 'fetching' })) };
  }

  it('BIX-01: what is told while it is read has it read again, and the last answer shows', async () => {
    const { actor, reads, fetching } = begun();
    await fetching();
    actor.send({ type: 'screen.stale' });
    reads[0]?.resolve(overviewOf({ balance_micros: 1 }));
    reads[1]?.resolve(overviewOf({ balance_micros: 2 }));
    await waitFor(actor, (snapshot) => snapshot.matches('shown'));
    expect(actor.getSnapshot().context.overview?.balance_micros).toBe(2);
    actor.send({ type: 'screen.stale' });
    actor.send({ type: 'screen.stale' });
    reads[2]?.resolve(overviewOf({ balance_micros: 3 }));
    reads[3]?.resolve(overviewOf({ balance_micros: 4 }));
    await waitFor(actor, (snapshot) => snapshot.matches({ shown: 'current' }));
    expect([reads.length, actor.getSnapshot().context.overview?.balance_micros]).toEqual([4, 4]);
    actor.stop();
  });

  it.each(['screen.stale', 'payment.ended'] as const)('BIX-01: what could not be read is read at %s', async (type) => {
    const { actor, reads, fetching } = begun();
    await fetching();
    reads[0]?.reject(new Error('The disk is full.'));
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    actor.send({ type });
    await fetching();
    reads[1]?.resolve(overviewOf({ balance_micros: 2 }));
    const { context } = await waitFor(actor, (snapshot) => snapshot.matches('shown'));
    expect([context.overview?.balance_micros, context.failure]).toEqual([2, null]);
    actor.stop();
  });
});
