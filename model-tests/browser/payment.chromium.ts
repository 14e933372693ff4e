import type { Locator, Request } from '@playwright/test';
import * as v from 'valibot';
import type { PaymentAttempt } from '#contract/billing.ts';
import { PaymentRequest } from '#contract/paying.ts';
import { CallError } from '#machines/shared/failure.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { stopClock } from '#test/journeys/fixtures.ts';
import { attemptOf } from '#test/machines/billed.ts';
import { doneBy, failedBy, isIn, walk, type WalkOptions } from '../model.ts';
import { unwalkedByAll } from '../unwalked.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  sendTo,
  show,
  test,
  titled,
  type ConsolePage,
  type Executors,
  type Performance,
  useConsolePage,
} from './consolePage.ts';
import { covering } from './covering.ts';
import { paymentPage } from './pages/payment.ts';
import { PausedCalls } from './pausedCalls.ts';

const OVER = new CallError({ kind: 'HTTP', status: 409, errorType: 'payment_ended', message: 'This payment is over.' });
const REFUSED = new CallError({ kind: 'HTTP', status: 503, message: 'The payment provider does not answer.' });
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' });
const FAILED = 'The card was declined.';
const word = (state: PaymentAttempt['state']) =>
  doneBy('readAttempt', attemptOf({ state, error: state === 'failed' ? FAILED : null }));
const route = (attempt?: string) => ({
  type: 'route.changed',
  route: { screen: 'billingOverview', orgUuid: 'of the page', ...(attempt === undefined ? {} : { attempt }) },
});

const options = (attemptInAddress: string | null, changed: Partial<WalkOptions> = {}): WalkOptions => ({
  input: { orgUuid: 'of the page', kind: 'payment', attemptInAddress },
  distinguish: ({ context: { status, attemptInAddress: at, attempt } }) => [status?.state, at, attempt === null],
  merge: true,
  ...changed,
  cases: {
    'xstate.done.actor.amountForm': [
      doneBy('amountForm', { outcome: 'done', answer: 20_000_000, values: {} }),
      doneBy('amountForm', { outcome: 'dismissed' }),
    ],
    'xstate.done.actor.takeAttempt': [doneBy('takeAttempt', 'a1')],
    'xstate.error.actor.takeAttempt': [],
    'xstate.done.actor.openPage': [doneBy('openPage', 'https://pay.example/1')],
    'xstate.error.actor.openPage': [failedBy('openPage', OVER), failedBy('openPage', REFUSED)],
    'xstate.error.actor.leavePage': [],
    'xstate.done.actor.readAttempt': (['open', 'processing', 'succeeded', 'failed', 'canceled'] as const).map(word),
    'xstate.error.actor.readAttempt': [failedBy('readAttempt', GONE), failedBy('readAttempt', REFUSED)],
    'route.changed': [route(), route('a2')],
    ...changed.cases,
  },
});

const begun = walk(paymentMachine, options(null));
const back = walk(paymentMachine, options('a1', { cases: { 'begin.requested': [], 'page.requested': [] } }));
/** Nothing comes but the same word, again and again. */
const patient = walk(
  paymentMachine,
  options('a1', {
    distinguish: ({ context: { reads } }) => reads,
    cases: {
      ...Object.fromEntries(
        ['begin.requested', 'page.requested', 'screen.stale', 'route.changed', 'xstate.error.actor.readAttempt'].map(
          (type) => [type, []],
        ),
      ),
      'xstate.done.actor.readAttempt': [word('open')],
    },
  }),
);
const walks = { begun: covering(begun), 'come back from': covering(back), 'waited for': covering(patient) };

/** Declared transitions that a payment on this page does not take. */
const EXCEPTIONS = {
  'payment.idle —begin.requested if isSetup→ payment.handingOver': 'A setup is begun without an amount.',
  'payment.handingOver.naming —xstate.error.actor.takeAttempt→ payment.handingOver.refused': 'A UUID is made at once.',
  'payment.handingOver.leaving —xstate.error.actor.leavePage→ payment.handingOver.refused': 'The browser says nothing.',
  'payment.handingOver.refused —always if isSetup→ payment.idle': 'A setup that was refused.',
  'payment.ended —begin.requested if isSetup→ payment.handingOver': 'A setup is begun without an amount.',
  'payment.unknown —begin.requested if isSetup→ payment.handingOver': 'A setup is begun without an amount.',
};

const OVERVIEW = ['workspace', 'billingOverview'];
const CHART = [...OVERVIEW, 'payment'];
/** Stands for the provider's page: a place on the same one, so that the chart is not left. */
const HOSTED = '#hosted-page';
const SLOW_MS = 3000;
const STUCK_MS = 20_000;
const fixture = useConsolePage();
const held = new PausedCalls(callOf);
let overview: string;

function callOf(request: Request): string | null {
  const { pathname } = new URL(request.url());
  if (/\/payment\/status\/$/.test(pathname)) return 'readAttempt';
  return /\/payment\/$/.test(pathname) ? 'openPage' : null;
}

test.beforeAll(async () => {
  const { page, playground } = fixture();
  overview = playground.replace(/projects.*/, 'billing/overview/');
  await held.stand(page, '**/api/v2/**');
  await page.clock.install();
});

function performance({ page }: ConsolePage, attemptInAddress: string | null): Performance<typeof paymentMachine> {
  const { begin, amountDialog, confirmDialog, openDialog, outcome, action } = paymentPage(page);
  /** By the keyboard: with Playwright's clock a dialog that fades out may never be gone, and lies over the page. */
  const press = async (button: Locator) => {
    await page.clock.resume();
    await button.press('Enter');
  };
  const executors: Executors<typeof paymentMachine> = {
    'xstate.init': async () => {
      held.forget();
      await page.clock.resume();
      await page.evaluate(() => {
        for (const key of Object.keys(localStorage)) if (key.includes('_attempt_')) localStorage.removeItem(key);
      });
      await show(page, attemptInAddress === null ? overview : `${overview}?attempt=${attemptInAddress}`, CHART);
      await expect(begin).toBeVisible();
    },
    'begin.requested': () => press(begin),
    'xstate.done.actor.amountForm': async ({ output }) => {
      if (output.outcome === 'dismissed') return amountDialog.getByRole('button', { name: 'Cancel' }).click();
      await amountDialog.getByLabel('Amount in US dollars').fill('20');
      await amountDialog.getByRole('button', { name: 'Continue' }).click();
    },
    'amount.confirmed': () => confirmDialog.getByRole('button', { name: 'Pay $20.00' }).click(),
    'amount.revised': () => confirmDialog.getByRole('button', { name: 'Change amount' }).click(),
    'dialog.dismissed': () => confirmDialog.getByRole('button', { name: 'Close' }).click(),
    'xstate.done.actor.takeAttempt': async () => {
      await held.of('openPage');
    },
    'xstate.done.actor.openPage': async () => {
      const { attempt } = v.parse(PaymentRequest, (await held.of('openPage')).request().postDataJSON());
      await held.answer('openPage', { attempt, url: `${page.url().replace(/#.*/, '')}${HOSTED}` });
    },
    'xstate.error.actor.openPage': ({ error }) => held.fail('openPage', error),
    'xstate.done.actor.leavePage': async () => {
      await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    },
    'xstate.after.stuck.payment.handingOver.leaving': async () => {
      await page.clock.runFor(STUCK_MS);
    },
    'xstate.done.actor.readAttempt': async ({ output }, _before, after) => {
      await held.of('readAttempt');
      if (isIn(after, 'following.waiting')) await stopClock(page);
      await held.answer('readAttempt', {
        mode: 'test',
        is_charging: true,
        method: null,
        attempt: output,
        error: null,
      });
    },
    'xstate.error.actor.readAttempt': ({ error }) => held.fail('readAttempt', error),
    'xstate.after.poll.payment.following.waiting': async () => {
      await page.clock.runFor(SLOW_MS);
      await held.of('readAttempt');
    },
    // Pushed by the server as the provider tells it something.
    'screen.stale': (event) => sendTo(page, OVERVIEW, event),
    'check.requested': () => action('Check again').click(),
    'retry.requested': () => action('Retry').click(),
    'page.requested': () => press(action('Back to the payment page')),
    'outcome.dismissed': () => action('Dismiss').click(),
    'route.changed': async ({ route: to }) => {
      await page.clock.resume();
      await page.evaluate(
        (address) => history.pushState(null, '', address),
        `${overview}${'attempt' in to && to.attempt ? `?attempt=${to.attempt}` : ''}`,
      );
    },
  };
  const says = (text: RegExp) => expect(outcome).toContainText(text);
  return {
    executors,
    chart: () => chartOf(page, CHART),
    // The browser has a UUID at once.
    transientStates: ['handingOver.naming'],
    expectations: {
      idle: async () => {
        await expect(begin).toBeEnabled();
        await expect(openDialog).toHaveCount(0);
        await expect(outcome).toBeHidden();
      },
      choosing: () => expect(amountDialog).toBeVisible(),
      confirming: () => expect(confirmDialog.getByRole('button', { name: 'Pay $20.00' })).toBeEnabled(),
      'handingOver.asking': async () => {
        await expect(confirmDialog.getByRole('button', { name: 'Opening the payment page…' })).toBeVisible();
        await held.of('openPage');
      },
      'handingOver.readingAttempt': async () => {
        await held.of('readAttempt');
      },
      'handingOver.leaving': () => expect(page).toHaveURL(new RegExp(`${HOSTED}$`)),
      'following.reading': () => says(/Confirming your payment|could not be loaded/),
      'following.waiting': () => says(/Confirming your payment/),
      'following.overdue': () => says(/Payment of \$20\.00 is not finished/),
      'following.readFailed': () => says(/could not be loaded/),
      'ended.succeeded': () => says(/Payment of \$20\.00 succeeded/),
      'ended.failed': () => says(new RegExp(`Payment of \\$20\\.00 failed.*${FAILED}`)),
      'ended.canceled': () => says(/Payment of \$20\.00 canceled.*Nothing was charged/),
      unknown: () => says(/can't find this payment/),
    },
  };
}

const SHOWN: Record<keyof typeof walks, string | null> = { begun: null, 'come back from': 'a1', 'waited for': 'a1' };
requireComplete(paymentMachine, Object.values(walks).flat(), (of: ConsolePage) => performance(of, null));

for (const [how, paths] of Object.entries(walks))
  test.describe(`BIL-06 BIX-04: a payment that is ${how}`, () => {
    for (const [title, path] of titled(paths))
      test(title || 'begins', async () => {
        await perform(path, performance(fixture(), SHOWN[how as keyof typeof walks]));
      });
  });

test('every transition of a payment is walked, but those of a setup and what the browser does not say', () => {
  expect(
    unwalkedByAll([
      begun.unwalked(walks.begun),
      back.unwalked(walks['come back from']),
      patient.unwalked(walks['waited for']),
    ]),
  ).toEqual(Object.keys(EXCEPTIONS));
});
