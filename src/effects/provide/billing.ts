/** The charts of billing that pay, with what they call. */
import { fromPromise } from 'xstate';
import type {
  Autopay,
  BillingDetails,
  BillingOverview,
  BillingSettings,
  PaymentAttempt,
  PaymentStatus,
} from '#contract/billing.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { CallError } from '#machines/shared/failure.ts';
import { autopayForm } from '#machines/workspace/billing/autopay/form.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import type { Wanted } from '#machines/workspace/billing/payment/actors.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import type { Paying } from '#machines/workspace/billing/setup/actors.ts';
import { billingDetailsForm } from '#machines/workspace/billing/setup/form.ts';
import { paymentSetupMachine } from '#machines/workspace/billing/setup/machine.ts';
import type { Days } from '#machines/workspace/usage/period.ts';
import { createAttempts } from '../browser/attempts.ts';
import { createLeavePage } from '../browser/leavePage.ts';
import type { TextStorage } from '../browser/webStorage.ts';
import type { MainApi } from '../http/mainApi.ts';
import { readToday } from './usage.ts';

type OfOrganization = { orgUuid: string };

export const billingScreens = (api: MainApi, { storage, product }: { storage: TextStorage; product: string }) => {
  const payment = paymentOf(api, createAttempts(storage, product));
  return {
    billingOverview: overviewMachine.provide({
      actors: {
        readToday,
        loadOverview: fromPromise<BillingOverview, OfOrganization & { days: Days }>(({ input, signal }) =>
          api.billingOverview(input.orgUuid, input.days, signal),
        ),
        payment,
      },
    }),
    paymentSetup: paymentSetupMachine.provide({ actors: { ...payingOf(api), payment } }),
  };
};

const paymentOf = (api: MainApi, attempts: ReturnType<typeof createAttempts>) =>
  paymentMachine.provide({
    actors: {
      ...attempts,
      openPage: fromPromise<string, Wanted & { attempt: string }>(
        async ({ input: { orgUuid, amountMicros, attempt }, signal }) => {
          const { url } = await (amountMicros === null
            ? api.setUpPaymentMethod(orgUuid, attempt, signal)
            : api.createPayment(orgUuid, { attempt, amount_micros: amountMicros }, signal));
          return url;
        },
      ),
      leavePage: createLeavePage(),
      readAttempt: fromPromise<PaymentAttempt, OfOrganization & { attempt: string }>(
        async ({ input: { orgUuid, attempt: uuid }, signal }) => {
          const { attempt } = await api.paymentStatus(orgUuid, uuid, signal);
          if (attempt === null) throw new CallError({ kind: 'PARSING_ERROR', message: 'The payment is missing.' });
          return attempt;
        },
      ),
    },
  });

const payingOf = (api: MainApi) => ({
  loadPaying: fromPromise<Paying, OfOrganization>(async ({ input: { orgUuid }, signal }) => {
    const [status, settings] = await Promise.all([
      api.paymentStatus(orgUuid, null, signal),
      api.billingSettings(orgUuid, signal),
    ]);
    return { status, settings };
  }),
  removeMethod: fromPromise<PaymentStatus, OfOrganization>(({ input, signal }) =>
    api.removePaymentMethod(input.orgUuid, signal),
  ),
  resetError: fromPromise<PaymentStatus, OfOrganization & { version: string }>(({ input, signal }) =>
    api.resetPaymentError(input.orgUuid, input.version, signal),
  ),
  autopayForm: autopayForm.provide({
    actors: {
      submit: fromPromise<BillingSettings, Submitted<Autopay, OfOrganization>>(({ input: { about, values }, signal }) =>
        api.updateBillingSettings(about.orgUuid, { autopay: values }, signal),
      ),
    },
  }),
  detailsForm: billingDetailsForm.provide({
    actors: {
      submit: fromPromise<BillingSettings, Submitted<BillingDetails, OfOrganization>>(
        ({ input: { about, values }, signal }) => api.updateBillingSettings(about.orgUuid, { details: values }, signal),
      ),
    },
  }),
});
