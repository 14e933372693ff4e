import { receiptTitle } from '../../money/billing/receipts.ts';
import { receiptNumber } from '../../money/ledger/receipts.ts';
import { OperatorError } from '../../money/limits/operator.ts';
import { toUsd } from '../../money/usage/prices.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Answer } from './commands.ts';
import { table } from './words.ts';

/**
 * All that a receipt, credit note or reversal says, also of an organization that is gone: nobody else can open it then.
 * @param title its number, such as R-000017 @throws OperatorError where there is none
 */
export async function showReceipt(db: Db, title: string): Promise<Answer> {
  const [, series = '', digits = ''] = /^(.+)-(\d{1,9})$/.exec(title) ?? [];
  const receipt = await db
    .selectFrom('receipts as r')
    .leftJoin('receipts as other', 'other.entry_id', 'r.refers_to')
    .select(['r.kind', 'r.series', 'r.number', 'r.at', 'r.description', 'r.seller', 'r.organization', 'r.name'])
    .select(['r.address', 'r.tax_id', 'r.net_micros', 'r.tax_micros', 'r.tax_rate', 'r.tax_note', 'r.total_micros'])
    .select(['other.kind as other_kind', 'other.series as other_series', 'other.number as other_number'])
    .where('r.series', '=', series)
    .where('r.number', '=', Number(digits))
    .executeTakeFirst();
  if (receipt === undefined) throw new OperatorError(`There is no receipt ${JSON.stringify(title)}.`);
  const { other_kind, other_series, other_number, ...data } = receipt;
  const former =
    other_kind === null || other_series === null || other_number === null
      ? ''
      : receiptTitle({ kind: other_kind, number: receiptNumber(other_series, other_number) });
  const lines = [
    [receiptTitle({ kind: data.kind, number: receiptNumber(data.series, data.number) }), data.at.toISOString()],
    ['refers to', former],
    ['seller', data.seller.replaceAll('\n', ', ')],
    [
      'for',
      [data.name, data.organization, data.address.replaceAll('\n', ', '), data.tax_id].filter(Boolean).join(', '),
    ],
    ['what', data.description],
    ['net', `${toUsd(data.net_micros)} USD`],
    ['tax', `${toUsd(data.tax_micros)} USD${data.tax_note === '' ? '' : ` (${data.tax_note})`}`],
    ['total', `${toUsd(data.total_micros)} USD`],
  ].filter(([, value]) => value !== '');
  return { text: table(lines), data: { ...data, refers_to: former } };
}
