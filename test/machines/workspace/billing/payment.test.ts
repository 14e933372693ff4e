import { describe, expect, it, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { PaymentAttempt } from '#contract/billing.ts';
import { autopayForm, chargeAtSave } from '#machines/workspace/billing/autopay/form.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import type { PaymentWish } from '#machines/workspace/billing/payment/actors.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { paymentSetupMachine } from '#machines/workspace/billing/setup/machine.ts';
import { alone } from '../../appServices.ts';
import { attemptOf, overviewOf, payingOf } from '../../billed.ts';
import { uuidOf } from '../../people.ts';
import { underParent } from '../../playground-fixtures.ts';
import { silenced } from '../../silenced.ts';

const over = new CallError({ kind: 'HTTP', status: 409, errorType: 'payment_ended', message: 'It is over.' });

/** What is begun under the first name is over, and stands as told; its page is asked for by these names. */
function open(told: PaymentAttempt) {
  const asked: string[] = [];
  const machine = silenced(paymentMachine).provide({
    actors: {
      takeAttempt: fromPromise(
        ({ input: { endedAttempt } }: { input: PaymentWish & { endedAttempt: string | null } }) =>
          Promise.resolve(endedAttempt === null ? 'a1' : `after ${endedAttempt}`),
      ),
      openPage: fromPromise(({ input: { attempt } }: { input: PaymentWish & { attempt: string } }) => {
        asked.push(attempt);
        return attempt === 'a1' ? Promise.reject(over) : Promise.resolve('https://pay.example/2');
      }),
      leavePage: fromPromise(() => new Promise(() => {})),
      readAttempt: fromPromise(() => Promise.resolve(told)),
    },
  });
  return { machine, asked };
}

describe('BIX-12: the outcome', () => {
  it.each([
    ['setup', [{ type: 'payment.ended' }, { type: 'payment.dismissed', failed: null }], 'ended'],
    ['payment', [{ type: 'payment.ended' }], 'idle'],
  ] as const)('of a %s is told of once, and stays where its address goes', async (kind, expected, then) => {
    const { machine } = open(attemptOf({ kind, state: 'succeeded' }));
    const { child, told } = underParent(machine, { orgUuid: 'o', kind, attemptInAddress: 'a2' });
    await waitFor(child, (snapshot) => snapshot.matches({ ended: 'succeeded' }));
    expect(told).toEqual(expected);
    child.send({ type: 'route.changed', route: { screen: 'paymentSetup', orgUuid: 'o' } });
    expect(child.getSnapshot().matches(then)).toBe(true);
  });

  it.each([
    ['failed', null],
    ['canceled', uuidOf(1)],
  ] as const)(
    'PAY-26: of a payment that is dismissed as %s: the overview still tells of this failure: %s',
    async (state, told) => {
      const followed = attemptOf({ uuid: uuidOf(1), state });
      const failed = attemptOf({ uuid: uuidOf(1), state: 'failed' });
      const machine = alone(overviewMachine).provide({
        actors: {
          payment: silenced(paymentMachine, { readAttempt: fromPromise(() => Promise.resolve(followed)) }),
          readToday: fromPromise(() => Promise.resolve('2026-04-15')),
          loadOverview: fromPromise(() => Promise.resolve(overviewOf({ failed }))),
        },
        actions: { sendToApp: () => undefined },
      });
      const actor = createActor(machine, { input: { orgUuid: 'o', view: {}, attempt: uuidOf(1) } }).start();
      const isCurrent = () => waitFor(actor, (snapshot) => snapshot.matches({ shown: 'current' }));
      await isCurrent();
      const { payment } = actor.getSnapshot().children;
      if (payment) await waitFor(payment, (snapshot) => snapshot.matches({ ended: state }));
      payment?.send({ type: 'outcome.dismissed' });
      expect(actor.getSnapshot().context.overview?.failed?.uuid ?? null).toBe(told);
      actor.send({ type: 'screen.stale', change: 'billing.changed' } as never);
      await isCurrent();
      expect(actor.getSnapshot().context.overview?.failed?.uuid ?? null).toBe(told);
      actor.stop();
    },
  );

  it('of a setup goes with the method', async () => {
    const sent: string[] = [];
    const method = { brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    const machine = alone(paymentSetupMachine).provide({
      actors: {
        payment: fromCallback(({ receive }) => receive(({ type }) => sent.push(type))) as never,
        loadPaying: fromPromise(() => Promise.resolve(payingOf({ method }))),
        removeMethod: fromPromise(() => Promise.resolve(payingOf().status)),
      },
    });
    const actor = createActor(machine, { input: { orgUuid: 'o', attempt: null, drafts: [] } }).start();
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'removal.requested' });
    actor.send({ type: 'removal.confirmed' });
    await waitFor(actor, (snapshot) => !snapshot.hasTag('removing'));
    expect(sent).toEqual(['outcome.dismissed']);
    actor.stop();
  });
});

describe('BIX-14: autopay', () => {
  it.each([
    [false, true, 'turned on'],
    [true, false, 'turned off'],
    [true, true, 'saved'],
  ])('that was %s and is now %s is told as %s', async (was, is, told) => {
    const before = payingOf();
    const settingsOf = (enabled: boolean) => ({
      ...before.settings,
      autopay: { ...before.settings.autopay, enabled },
    });
    const toasts: unknown[] = [];
    const machine = alone(paymentSetupMachine).provide({
      actors: {
        payment: silenced(paymentMachine),
        loadPaying: fromPromise(() => Promise.resolve({ ...before, settings: settingsOf(was) })),
        autopayForm: autopayForm.provide({ actors: { submit: fromPromise(() => Promise.resolve(settingsOf(is))) } }),
      },
      actions: { sendToApp: (_, event) => void toasts.push(event) },
    });
    const actor = createActor(machine, { input: { orgUuid: 'o', attempt: null, drafts: [] } }).start();
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.getSnapshot().children.autopayForm?.send({ type: 'submit.requested' });
    await vi.waitUntil(() => toasts.length > 0);
    expect(toasts).toEqual([{ type: 'toast.requested', kind: 'success', text: `Success! Autopay was ${told}.` }]);
    actor.stop();
  });

  it.each([
    [{ enabled: 'on', threshold: '30', amount: '5' }, 29_500_000],
    [{ enabled: 'on', threshold: '0.50', amount: '5' }, null],
    [{ enabled: 'off', threshold: '30', amount: '5' }, null],
    [{ enabled: 'on', threshold: '30', amount: '3' }, null],
  ])('as typed %j charges %s at once', (fields, charge) => {
    expect(chargeAtSave(fields, { balance_at_save_micros: 505_000 })).toBe(charge);
    expect(chargeAtSave(fields, { balance_at_save_micros: null })).toBe(null);
  });
});

describe('BIX-15: a reset of autopay that charges', () => {
  const charge = attemptOf({ kind: 'autopay', state: 'processing' });
  const otherOf = (created_at: string) => attemptOf({ uuid: uuidOf(2), state: 'succeeded', created_at });
  const PUT_OFF = 'Autopay has not charged yet; it tries again later.';
  const error = { why: 'declined', message: 'No.', at: '2026-04-15T10:00:00.000Z', amount_micros: null } as const;
  const failing = payingOf({ error: { ...error, next_try_at: null, others: [], version: 'v1' } });
  it.each([
    ['declined', failing, 'v1', []],
    [
      'paid',
      payingOf({ attempt: { ...charge, state: 'succeeded' } }),
      null,
      ['Success! Autopay has charged your payment method.'],
    ],
    ['canceled', payingOf({ attempt: { ...charge, state: 'canceled' } }), null, []],
    ['put off', payingOf(), null, [PUT_OFF]],
    ['put off, with a payment before', payingOf({ attempt: otherOf('2026-04-15T09:00:00.000Z') }), null, [PUT_OFF]],
    ['followed by a payment', payingOf({ attempt: otherOf('2026-04-15T11:00:00.000Z') }), null, []],
  ] as const)('is told by what came of the charge, not before: %s', async (_, after, retried, told) => {
    const toasts: unknown[] = [];
    const reads = [failing, payingOf({ attempt: charge }), after];
    const machine = alone(paymentSetupMachine).provide({
      actors: {
        payment: silenced(paymentMachine),
        loadPaying: fromPromise(() => Promise.resolve(reads.shift() ?? after)),
        resetError: fromPromise(() => Promise.resolve(payingOf({ attempt: charge }).status)),
      },
      actions: { sendToApp: (__, event) => void toasts.push('text' in event ? event.text : event) },
    });
    const actor = createActor(machine, { input: { orgUuid: 'o', attempt: null, drafts: [] } }).start();
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'reset.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('retrying') && snapshot.matches({ ready: { source: 'known' } }));
    expect(toasts).toEqual([]);
    actor.send({ type: 'screen.stale', change: 'billing.changed' } as never);
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: { reset: 'idle' } }));
    expect(actor.getSnapshot().context.retried).toBe(retried);
    expect(toasts).toEqual(told);
    actor.stop();
  });
});

describe('BIL-05 BIL-06: a payment, or a setup, that was begun before', () => {
  it.each(['failed', 'canceled'] as const)('is begun anew where it %s', async (state) => {
    const { machine, asked } = open(attemptOf({ kind: 'setup', state, amount_micros: null }));
    const actor = createActor(machine, { input: { orgUuid: 'o', kind: 'setup', attemptInAddress: null } }).start();
    actor.send({ type: 'begin.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches({ handingOver: 'leaving' }));
    expect(asked).toEqual(['a1', 'after a1']);
    actor.stop();
  });

  it.each([
    ['setup', null, false],
    ['payment', 20_000_000, true],
  ] as const)('as a %s has a page to go back to from a payment only if it is one', async (kind, amount_micros, has) => {
    const { machine, asked } = open(attemptOf({ kind, amount_micros }));
    const actor = createActor(machine, { input: { orgUuid: 'o', kind: 'payment', attemptInAddress: 'a2' } }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ following: 'waiting' }));
    actor.send({ type: 'page.requested' });
    expect(asked).toEqual(has ? ['a2'] : []);
    actor.stop();
  });
});
