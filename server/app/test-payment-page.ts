import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import type { AppEnv } from '../http/env.ts';
import { invalidRequest, notFound } from '../http/errors.ts';
import { readBody } from '../http/validate.ts';
import type { PaymentDriver } from '../money/payments/port.ts';
import { isTestCard, TEST_CARDS, TEST_PAGE, TestDriver, type TestCard } from '../money/payments/test-driver.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { inUsd } from './amounts.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';

const Form = v.object({ action: v.picklist(['pay', 'confirm', 'cancel']), card: v.optional(v.string()) });

/** What the page is about. Null for an amount: a payment method is set up. */
interface Open {
  id: string;
  organizationId: string;
  amountMicros: number | null;
}

/** What the page says above its form. */
interface Stage {
  /** Why the last card was not taken. */
  alert?: string;
  /** A card that waits for its owner's confirmation. */
  confirms?: TestCard;
}

/** The page on which payments of the test are made, for who has its signed address. There is none where money moves. */
export function testPaymentRoutes(services: Services, pages: Pages, payments: PaymentDriver): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  if (!(payments instanceof TestDriver)) return routes;
  const answer = (c: Context<AppEnv>, open: Open, stage: Stage = {}): Promise<Response> => {
    c.header('cache-control', 'no-store');
    return sendDocument(c, services, pages, {
      title: `Test payment · ${services.config.productName}`,
      hasForm: true,
      body: `${topBar(services, 'test payment', [])}<main class="narrow">${content(open, stage)}</main>`,
    });
  };
  const path = `${TEST_PAGE}/:token` as const;
  return routes
    .get(path, async (c) => {
      const open = await openAttempt(services, payments.paymentOf(c.req.param('token')));
      return typeof open === 'string' ? c.redirect(open, 303) : answer(c, open);
    })
    .post(path, async (c) => {
      const open = await openAttempt(services, payments.paymentOf(c.req.param('token')));
      if (typeof open === 'string') return c.redirect(open, 303);
      const { action, card } = await readForm(c);
      if (action === 'cancel') await payments.cancel(open.id);
      else {
        if (!isTestCard(card)) return answer(c, open, { alert: 'Choose a card.' });
        const { outcome } = TEST_CARDS[card];
        if (outcome === 'declined') return answer(c, open, { alert: 'The card was declined. Choose another one.' });
        if (outcome === 'confirm' && action === 'pay') return answer(c, open, { confirms: card });
        await payments.pay(open.id, card, open.amountMicros);
      }
      return c.redirect(returnUrl(services, open), 303);
    });
}

/** The payment of a page, or where one leads that is over. @throws ApiProblem 404 */
async function openAttempt(services: Services, id: string | undefined): Promise<Open | string> {
  const row =
    id === undefined
      ? undefined
      : await services.db
          .selectFrom('payments')
          .select(['id', 'organization_id', 'amount_micros', 'state'])
          .where('id', '=', id)
          .executeTakeFirst();
  if (row === undefined) throw notFound();
  const open = { id: row.id, organizationId: row.organization_id, amountMicros: row.amount_micros };
  return row.state === 'open' ? open : returnUrl(services, open);
}

const returnUrl = ({ publicUrl }: Services, { id, organizationId, amountMicros }: Open): string =>
  `${publicUrl()}/org/${organizationId}/billing/${amountMicros === null ? 'payment-setup' : 'overview'}/?attempt=${id}`;

/** @throws ApiProblem 400 */
async function readForm(c: Context<AppEnv>): Promise<v.InferOutput<typeof Form>> {
  const form = v.safeParse(Form, Object.fromEntries(new URLSearchParams(await readBody(c))));
  if (!form.success) throw invalidRequest();
  return form.output;
}

function content({ amountMicros }: Open, { alert, confirms }: Stage): string {
  const what = amountMicros === null ? 'Set up a payment method' : `Pay ${inUsd(amountMicros)} USD`;
  const head = `<p><strong>TEST MODE</strong>: no money is moved.</p><h1>${what}</h1>`;
  const told = alert === undefined ? '' : `<p role="alert">${escapeHtml(alert)}</p>`;
  const button = (action: string, text: string): string =>
    `<button type="submit" name="action" value="${action}">${text}</button>`;
  if (confirms !== undefined)
    return `${head}<p>The bank asks whether this is you.</p><form method="post"><input type="hidden" name="card" value="${confirms}"><p>${button('confirm', 'Confirm')} ${button('cancel', 'Refuse')}</p></form>`;
  const cards = Object.entries(TEST_CARDS).map(
    ([number, { text }], index) =>
      `<p><label><input type="radio" name="card" value="${number}"${index === 0 ? ' checked' : ''}> ${number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')} ${text}</label></p>`,
  );
  return `${head}${told}<form method="post"><fieldset><legend>Test card</legend>${cards.join('')}</fieldset><p>${button('pay', amountMicros === null ? 'Save' : 'Pay')} ${button('cancel', 'Cancel')}</p></form>`;
}
