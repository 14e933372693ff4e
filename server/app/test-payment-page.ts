import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import type { AppEnv } from '../http/env.ts';
import { invalidRequest, notFound } from '../platform/refusal.ts';
import { readBody } from '../http/validate.ts';
import { inUsd } from '../money/billing/amounts.ts';
import type { PaymentDriver } from '../money/payments/port.ts';
import { isTestCard, TEST_CARDS, TEST_PAGE, TestDriver, type TestCard } from '../money/payments/test-driver.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';
import { orMissingPage } from './refusal-page.ts';

const Form = v.object({ action: v.picklist(['pay', 'confirm', 'cancel']), card: v.optional(v.string()) });

/** The attempt that the page is for. */
interface Open {
  id: string;
  organizationId: string;
  organization: string;
  /** Null if it sets up a payment method. */
  amountMicros: number | null;
}

/** What the query of the page asks to show. */
interface Stage {
  /** Why the last card was refused. */
  refusal?: keyof typeof REFUSALS;
  /** A card whose owner has to confirm the payment. */
  confirms?: TestCard;
}

const REFUSALS = {
  none: 'Choose a card.',
  declined: 'The card was declined. Choose another card.',
} as const;

const stageOf = ({ refusal, confirms }: Record<string, string | undefined>): Stage => ({
  ...(refusal === 'none' || refusal === 'declined' ? { refusal } : {}),
  ...(isTestCard(confirms) && TEST_CARDS[confirms].outcome === 'confirm' ? { confirms } : {}),
});

/**
 * The page of a test payment, at a signed address. A form is answered by a redirect, also if its card is refused, so
 * that Back and a reload send it no second time. Without routes if payments are real.
 */
export function testPaymentRoutes(services: Services, pages: Pages, payments: PaymentDriver): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  if (!(payments instanceof TestDriver)) return routes;
  const answer = (c: Context<AppEnv>, open: Open, stage: Stage): Promise<Response> => {
    c.header('cache-control', 'no-store');
    return sendDocument(c, services, pages, {
      title: `Test payment · ${services.config.productName}`,
      hasForm: true,
      body: `${topBar(services, 'test payment', [])}<main class="checkout"><div class="card">${content(open, stage)}</div></main>`,
    });
  };
  const path = `${TEST_PAGE}/:token` as const;
  return routes
    .get(path, (c) =>
      orMissingPage(c, services, pages, async () => {
        const open = await openAttempt(services, payments, c.req.param('token'));
        return typeof open === 'string' ? c.redirect(open, 303) : answer(c, open, stageOf(c.req.query()));
      }),
    )
    .post(path, async (c) => {
      const open = await openAttempt(services, payments, c.req.param('token'));
      if (typeof open === 'string') return c.redirect(open, 303);
      const { action, card } = await readForm(c);
      if (action === 'cancel') await payments.cancel(open.id);
      else {
        const show = (stage: Stage) =>
          c.redirect(`${c.req.path}?${new URLSearchParams(Object.entries(stage)).toString()}`, 303);
        if (!isTestCard(card)) return show({ refusal: 'none' });
        const { outcome } = TEST_CARDS[card];
        if (outcome === 'declined') return show({ refusal: 'declined' });
        if (outcome === 'confirm' && action === 'pay') return show({ confirms: card });
        await payments.pay(open.id, card, open.amountMicros);
      }
      return c.redirect(returnUrl(services, open), 303);
    });
}

/** The attempt of a page; if it is complete, the URL to return to. @throws Refusal not_found */
async function openAttempt(services: Services, payments: TestDriver, token: string): Promise<Open | string> {
  const id = payments.paymentOf(token);
  const row =
    id === undefined
      ? undefined
      : await services.db
          .selectFrom('payments')
          .innerJoin('organizations', 'organizations.id', 'payments.organization_id')
          .select(['payments.id', 'organization_id', 'organizations.name', 'amount_micros'])
          .where('payments.id', '=', id)
          .executeTakeFirst();
  if (row === undefined) throw notFound('This address of a test payment is not complete, or the payment is gone.');
  const open = {
    id: row.id,
    organizationId: row.organization_id,
    organization: row.name,
    amountMicros: row.amount_micros,
  };
  return (await payments.isComplete(row.id)) ? returnUrl(services, open) : open;
}

const returnUrl = ({ publicUrl }: Services, { id, organizationId, amountMicros }: Open): string =>
  `${publicUrl()}/org/${organizationId}/billing/${amountMicros === null ? 'payment-setup' : 'overview'}/?attempt=${id}`;

/** @throws Refusal invalid */
async function readForm(c: Context<AppEnv>): Promise<v.InferOutput<typeof Form>> {
  const form = v.safeParse(Form, Object.fromEntries(new URLSearchParams(await readBody(c))));
  if (!form.success) throw invalidRequest();
  return form.output;
}

function content({ organization, amountMicros }: Open, { refusal, confirms }: Stage): string {
  const amount = amountMicros === null ? undefined : `$${inUsd(amountMicros)}`;
  const button = (action: string, text: string, look: string): string =>
    `<button type="submit" name="action" value="${action}" class="${look}">${text}</button>`;
  const head = `<p class="mode"><strong>Test mode</strong> No money moves.</p>
<p class="payer">${escapeHtml(organization)}</p>
<h1>${amount === undefined ? 'Set up a payment method' : `Pay ${amount}`}</h1>`;
  const alert = refusal === undefined ? '' : `<p role="alert" class="refusal">${escapeHtml(REFUSALS[refusal])}</p>`;
  if (confirms !== undefined)
    return `${head}
<p>The bank asks you to confirm the use of the card ending in ${confirms.slice(-4)}.</p>
<form method="post"><input type="hidden" name="card" value="${confirms}">
<div class="actions">${button('confirm', 'Confirm', 'primary')}${button('cancel', 'Decline', 'plain')}</div></form>`;
  const cards = Object.entries(TEST_CARDS).map(([number, { text }], index) => cardChoice(number, text, index === 0));
  const pay = button('pay', amount === undefined ? 'Save card' : `Pay ${amount}`, 'primary');
  return `${head}${alert}
<form method="post"><fieldset><legend>Test card</legend>${cards.join('')}</fieldset>
<div class="actions">${pay}${button('cancel', 'Cancel', 'plain')}</div></form>`;
}

function cardChoice(number: string, effect: string, isChecked: boolean): string {
  const spaced = number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
  const label = `<span><span class="number">${spaced}</span><span class="effect">${escapeHtml(effect)}</span></span>`;
  const radio = `<input type="radio" name="card" value="${number}"${isChecked ? ' checked' : ''}>`;
  return `<label class="choice">${radio}${label}</label>`;
}
