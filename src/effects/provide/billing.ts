/** Provides the charts of payments with their effects. */
import { fromPromise } from 'xstate';
import {
  createPayment,
  readBillingOverview,
  readBillingSettings,
  readPaymentStatus,
  removePaymentMethod,
  resetPaymentError,
  setUpPaymentMethod,
  updateBillingSettings,
} from '#contract/api/billing.ts';
import type { Autopay, BillingDetails, BillingOverview, BillingSettings, PaymentAttempt } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { CallError } from '#machines/shared/failure.ts';
import { autopayForm } from '#machines/workspace/billing/autopay/form.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import type { PaymentWish } from '#machines/workspace/billing/payment/actors.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import type { Paying } from '#machines/workspace/billing/setup/actors.ts';
import { billingDetailsForm } from '#machines/workspace/billing/setup/form.ts';
import { paymentSetupMachine } from '#machines/workspace/billing/setup/machine.ts';
import type { Days } from '#machines/workspace/usage/period.ts';
import { createAttempts } from '../browser/attempts.ts';
import { createLeavePage } from '../browser/leavePage.ts';
import type { TextStorage } from '../browser/webStorage.ts';
import type { Caller } from '../http/caller.ts';
import { readToday } from './usage.ts';

type OfOrganization = { orgUuid: string };

export const billingScreens = (call: Caller, { storage, product }: { storage: TextStorage; product: string }) => {
  const payment = paymentOf(call, createAttempts(storage, product));
  return {
    billingOverview: overviewMachine.provide({
      actors: {
        readToday,
        loadOverview: fromPromise<BillingOverview, OfOrganization & { days: Days }>(({ input, signal }) =>
          call(readBillingOverview, { params: { organization: input.orgUuid }, query: input.days, signal }),
        ),
        payment,
      },
    }),
    paymentSetup: paymentSetupMachine.provide({ actors: { ...payingOf(call), payment } }),
  };
};

const paymentOf = (call: Caller, attempts: ReturnType<typeof createAttempts>) =>
  paymentMachine.provide({
    actors: {
      ...attempts,
      openPage: fromPromise<string, PaymentWish & { attempt: string }>(
        async ({ input: { orgUuid, amountMicros, attempt }, signal }) => {
          const params = { organization: orgUuid };
          const { url } = await (amountMicros === null
            ? call(setUpPaymentMethod, { params, json: { attempt }, signal })
            : call(createPayment, { params, json: { attempt, amount_micros: amountMicros }, signal }));
          return url;
        },
      ),
      leavePage: createLeavePage(),
      readAttempt: fromPromise<PaymentAttempt, OfOrganization & { attempt: string }>(
        async ({ input: { orgUuid, attempt: uuid }, signal }) => {
          const { attempt } = await call(readPaymentStatus, {
            params: { organization: orgUuid },
            query: { attempt: uuid },
            signal,
          });
          if (attempt === null) throw new CallError({ kind: 'PARSING_ERROR', message: 'The payment is missing.' });
          return attempt;
        },
      ),
    },
  });

const payingOf = (call: Caller) => ({
  loadPaying: fromPromise<Paying, OfOrganization>(async ({ input, signal }) => {
    const params = { organization: input.orgUuid };
    const [status, settings] = await Promise.all([
      call(readPaymentStatus, { params, query: {}, signal }),
      call(readBillingSettings, { params, signal }),
    ]);
    return { status, settings };
  }),
  removeMethod: fromPromise<PaymentStatus, OfOrganization>(({ input, signal }) =>
    call(removePaymentMethod, { params: { organization: input.orgUuid }, signal }),
  ),
  resetError: fromPromise<PaymentStatus, OfOrganization & { version: string }>(({ input, signal }) =>
    call(resetPaymentError, { params: { organization: input.orgUuid }, json: { version: input.version }, signal }),
  ),
  autopayForm: autopayForm.provide({
    actors: {
      submit: fromPromise<BillingSettings, Submitted<Autopay, OfOrganization>>(({ input: { about, values }, signal }) =>
        call(updateBillingSettings, { params: { organization: about.orgUuid }, json: { autopay: values }, signal }),
      ),
    },
  }),
  detailsForm: billingDetailsForm.provide({
    actors: {
      submit: fromPromise<BillingSettings, Submitted<BillingDetails, OfOrganization>>(
        ({ input: { about, values }, signal }) =>
          call(updateBillingSettings, { params: { organization: about.orgUuid }, json: { details: values }, signal }),
      ),
    },
  }),
});
