import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { ReceiptKind, ReceiptUrl } from '#contract/transactions.ts';
import { Uuid } from '#contract/fields.ts';
import { notFound } from '../../platform/refusal.ts';
import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { receiptNumber } from '../ledger/receipts.ts';

/** Path of the page of a receipt; the token follows. */
export const RECEIPT_PAGE = '/billing/receipt';
const SECRET = 'addresses of receipts';
/** Lifetime of a receipt's address, milliseconds: long enough to send it to an accountant. */
const LASTS_MS = 24 * 3_600_000;

/** A receipt, with seller and payer of the time when it was issued. Amounts in micro-USD. */
export interface Receipt {
  /** Unique. Each series counts from 1 without gaps. */
  number: string;
  /** The number from before there were series; null without one. */
  earlierNumber: string | null;
  kind: ReceiptKind;
  /** The receipt of a credit note, or the credit note of a reversal; null if unknown. */
  refersTo: { number: string; kind: ReceiptKind } | null;
  /** Never negative. */
  totalMicros: number;
  /** The total less the tax. */
  netMicros: number;
  taxMicros: number;
  /** Thousandths of a percent; null if the receipt does not mention tax. */
  taxRate: number | null;
  /** Why no tax is charged; else empty. */
  taxNote: string;
  description: string;
  /** Such as `Visa ending in 4242`; null for credit notes, and if unknown. */
  paidWith: string | null;
  at: Date;
  organization: string;
  /** The payer; empty if nobody has entered a name. */
  name: string;
  address: string;
  taxId: string;
  seller: readonly string[];
  /** Whether this is a test receipt: no money moved. */
  isTest: boolean;
}

/** @param round how often the receipt's addresses were withdrawn */
const sign = (key: Uint8Array, id: string, expires: string, round: number): string =>
  createHmac('sha256', key)
    .update([id, expires, ...(round === 0 ? [] : [round])].join('.'))
    .digest('base64url');

async function roundOf(db: Db, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('withdrawn_links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('entry_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Kind and number of an entry's receipt. @throws Refusal not_found without one, or for another organization's */
async function ownReceipt(db: Db, organizationId: string, id: string) {
  const receipt = await db
    .selectFrom('receipts')
    .innerJoin('ledger_entries', 'ledger_entries.id', 'receipts.entry_id')
    .select(['receipts.kind', 'receipts.series', 'receipts.number'])
    .where('entry_id', '=', id)
    .where('ledger_entries.organization_id', '=', organizationId)
    .executeTakeFirst();
  if (receipt === undefined) throw notFound();
  return receipt;
}

/** Withdraws all present addresses of a receipt; later ones work. @throws Refusal not_found as for {@link ownReceipt} */
export async function withdrawReceiptUrls(db: Db, act: Act, organizationId: string, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { series, number } = await ownReceipt(trx, organizationId, id);
    await trx
      .insertInto('withdrawn_links')
      .values({ entry_id: id, round: await roundOf(trx, id), withdrawn_at: act.at })
      // Somebody else has withdrawn the same addresses at the same time.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await recordAudit(trx, act, {
      organizationId,
      action: 'receipt_links.withdrawn',
      subject: receiptNumber(series, number),
    });
  });
}

/** A signed address of a receipt, which works without a session. @throws Refusal not_found as for {@link ownReceipt} */
export async function receiptUrl(
  services: Pick<Services, 'db' | 'clock' | 'secretFor' | 'publicUrl'>,
  organizationId: string,
  id: string,
): Promise<ReceiptUrl> {
  await ownReceipt(services.db, organizationId, id);
  const round = await roundOf(services.db, id);
  const expires = services.clock().getTime() + LASTS_MS;
  const token = [id, String(expires), sign(services.secretFor(SECRET), id, String(expires), round)].join('.');
  return {
    url: `${services.publicUrl()}${RECEIPT_PAGE}/${token}`,
    expires_at: new Date(expires).toISOString(),
  };
}

/** The receipt of an address's token. @throws Refusal not_found for a token that is forged, withdrawn or expired */
export async function readReceipt(services: Services, token: string): Promise<Receipt> {
  const [id = '', expires = '', signature = ''] = token.split('.');
  const incomplete = notFound('This address of a receipt is not complete.');
  if (!v.is(Uuid, id)) throw incomplete;
  const given = Buffer.from(signature);
  const round = await roundOf(services.db, id);
  const isSignedIn = (one: number): boolean =>
    services.secretFor.accepted(SECRET).some((key) => {
      const right = Buffer.from(sign(key, id, expires, one));
      return given.length === right.length && timingSafeEqual(given, right);
    });
  if (!isSignedIn(round)) {
    const isWithdrawn = Array.from({ length: round }, (_, one) => one).some(isSignedIn);
    throw isWithdrawn ? notFound('This address of a receipt was withdrawn.') : incomplete;
  }
  if (Number(expires) <= services.clock().getTime())
    throw notFound('This address of a receipt has expired. Each works for a day.');
  const row = await receiptsIn(services.db)
    .where('r.entry_id', '=', id)
    // Nobody may open receipts of a deleted organization.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts')
          .select('organization_id')
          .whereRef('accounts.organization_id', '=', 'r.organization_id')
          .where('closed_at', 'is', null),
      ),
    )
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return toReceipt(row, services.config);
}

/** The receipt with a number such as R-000017, even of a deleted organization; undefined without one. */
export async function findReceipt(
  { db, config }: Pick<Services, 'db' | 'config'>,
  title: string,
): Promise<Receipt | undefined> {
  const [, series = '', digits = ''] = /^(.+)-(\d{1,9})$/.exec(title) ?? [];
  const row = await receiptsIn(db)
    .where('r.series', '=', series)
    .where('r.number', '=', Number(digits))
    .executeTakeFirst();
  return row && toReceipt(row, config);
}

const receiptsIn = (db: Db) =>
  db
    .selectFrom('receipts as r')
    .leftJoin('receipts as other', 'other.entry_id', 'r.refers_to')
    .leftJoin('ledger_entries as e', 'e.id', 'r.entry_id')
    .leftJoin('payments as p', (join) => join.onRef('p.id', '=', 'e.payment_id').on('r.kind', '=', 'receipt'))
    .select([
      'r.series',
      'r.number',
      'r.earlier_number',
      'r.kind',
      'r.total_micros',
      'r.net_micros',
      'r.tax_micros',
      'r.tax_rate',
      'r.tax_note',
      'r.description',
      'r.at',
      'r.organization',
      'r.name',
      'r.address',
      'r.tax_id',
      'r.seller',
      'r.is_test',
      'p.paid_brand',
      'p.paid_last4',
      'other.series as other_series',
      'other.number as other_number',
      'other.kind as other_kind',
    ]);

/** What a payment was paid with, in words; null if unknown. */
export function paidWithText({ paid_brand, paid_last4 }: { paid_brand: string | null; paid_last4: string | null }) {
  if (paid_brand === null) return null;
  return paid_last4 ? `${paid_brand} ending in ${paid_last4}` : paid_brand;
}

function toReceipt(
  row: Awaited<ReturnType<ReturnType<typeof receiptsIn>['executeTakeFirstOrThrow']>>,
  config: Pick<Config, 'seller'>,
): Receipt {
  const { other_series, other_number, other_kind } = row;
  return {
    number: receiptNumber(row.series, row.number),
    earlierNumber: row.earlier_number,
    kind: row.kind,
    refersTo:
      other_series === null || other_number === null || other_kind === null
        ? null
        : { number: receiptNumber(other_series, other_number), kind: other_kind },
    totalMicros: row.total_micros,
    netMicros: row.net_micros,
    taxMicros: row.tax_micros,
    taxRate: row.tax_rate,
    taxNote: row.tax_note,
    description: row.description,
    paidWith: paidWithText(row),
    at: row.at,
    organization: row.organization,
    name: row.name,
    address: row.address,
    taxId: row.tax_id,
    seller: row.seller === '' ? config.seller : row.seller.split('\n'),
    isTest: row.is_test,
  };
}
