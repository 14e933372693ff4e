import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { ReceiptUrl } from '#contract/billing.ts';
import { Uuid } from '#contract/fields.ts';
import { notFound } from '../../http/errors.ts';
import type { Services } from '../../platform/context.ts';
import { hasReceipt, receiptCode, WITH_RECEIPT } from '../ledger/receipts.ts';

/** The page of a receipt, without its token. */
export const RECEIPT_PAGE = '/billing/receipt';
const SECRET = 'addresses of receipts';
/** How long an address works, milliseconds: it may be sent to an accountant. */
const LASTS_MS = 24 * 3_600_000;

/** What a receipt says: of those who sold and paid, as it was then. Amounts in micro-USD. */
export interface Receipt {
  /** Unique; an organization's count from 1, without a gap. */
  number: string;
  kind: 'payment' | 'refund';
  amountMicros: number;
  description: string;
  at: Date;
  organization: string;
  /** Whom it is made out to; empty where nobody wrote it down. */
  name: string;
  address: string;
  taxId: string;
  seller: readonly string[];
  /** Whether no money was moved. */
  isTest: boolean;
}

const sign = (key: Uint8Array, id: string, expires: string): string =>
  createHmac('sha256', key).update(`${id}.${expires}`).digest('base64url');

/** An address of a receipt for who has no session. @throws ApiProblem 404 for what has none, or is another's */
export async function receiptUrl(services: Services, organizationId: string, id: string): Promise<ReceiptUrl> {
  const entry = await services.db
    .selectFrom('ledger_entries')
    .select('kind')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (entry === undefined || !hasReceipt(entry.kind)) throw notFound();
  const expires = services.clock().getTime() + LASTS_MS;
  const token = [id, String(expires), sign(services.secretFor(SECRET), id, String(expires))].join('.');
  return {
    url: `${services.publicUrl()}${RECEIPT_PAGE}/${token}`,
    expires_at: new Date(expires).toISOString(),
  };
}

/** The receipt that an address is of. @throws ApiProblem 404 for one that was made up, or is too old */
export async function readReceipt(services: Services, token: string): Promise<Receipt> {
  const [id = '', expires = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature);
  const isSigned = services.secretFor.accepted(SECRET).some((key) => {
    const right = Buffer.from(sign(key, id, expires));
    return given.length === right.length && timingSafeEqual(given, right);
  });
  if (!v.is(Uuid, id) || !isSigned || Number(expires) <= services.clock().getTime())
    throw notFound('This address of a receipt is too old, or not complete.');
  const row = await services.db
    .selectFrom('ledger_entries')
    .innerJoin('accounts', 'accounts.organization_id', 'ledger_entries.organization_id')
    .innerJoin('organizations', 'organizations.id', 'ledger_entries.organization_id')
    .leftJoin('receipts', 'receipts.entry_id', 'ledger_entries.id')
    .select((eb) => [
      'ledger_entries.organization_id',
      // Entries of one organization are made one after the other, and never go.
      eb
        .selectFrom('ledger_entries as earlier')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('earlier.organization_id', '=', 'ledger_entries.organization_id')
        .whereRef('earlier.position', '<=', 'ledger_entries.position')
        .where('earlier.kind', 'in', WITH_RECEIPT)
        .as('count'),
      'ledger_entries.kind',
      'ledger_entries.amount_micros',
      'ledger_entries.description',
      'ledger_entries.at',
      // An entry of before receipts were kept has only what there is today.
      eb.fn.coalesce('receipts.organization', 'organizations.name').as('organization'),
      eb.fn.coalesce('receipts.name', 'accounts.billing_name').as('name'),
      eb.fn.coalesce('receipts.address', 'accounts.billing_address').as('address'),
      eb.fn.coalesce('receipts.tax_id', 'accounts.tax_id').as('taxId'),
      'receipts.seller',
      'receipts.is_test',
    ])
    .where('ledger_entries.id', '=', id)
    .executeTakeFirst();
  if (row === undefined || !hasReceipt(row.kind)) throw notFound();
  const { organization_id, count, amount_micros: amountMicros, kind, seller, is_test, ...words } = row;
  const { config } = services;
  const number = `R-${await receiptCode(services.db, organization_id)}-${String(count).padStart(4, '0')}`;
  return {
    ...words,
    kind,
    amountMicros,
    number,
    seller: seller?.split('\n') ?? config.seller,
    isTest: is_test ?? config.stripe === undefined,
  };
}
