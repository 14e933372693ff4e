import { receiptTitle } from '#contract/transactions.ts';
import { inUsd } from '../../money/billing/amounts.ts';
import { findReceipt } from '../../money/billing/receipts.ts';
import { OperatorError } from '../operator-error.ts';
import type { Services } from '../../platform/context.ts';
import { table } from './words.ts';

/**
 * Shows a receipt, credit note or reversal, also of a deleted organization, when nobody else can open it.
 * @param number such as R-000017 @throws OperatorError if there is none
 */
export async function showReceipt(parts: Pick<Services, 'db' | 'config'>, number: string) {
  const receipt = await findReceipt(parts, number);
  if (receipt === undefined) throw new OperatorError(`There is no receipt ${JSON.stringify(number)}.`);
  const { refersTo, earlierNumber, taxRate, taxNote } = receipt;
  const payer = [receipt.name, receipt.organization, ...receipt.address.split('\n'), receipt.taxId];
  const lines = [
    [receiptTitle(receipt), receipt.at.toISOString()],
    ['refers to', refersTo === null ? '' : receiptTitle(refersTo)],
    ['earlier number', earlierNumber ?? ''],
    ['mode', receipt.isTest ? 'test: no money was moved' : ''],
    ['seller', receipt.seller.join(', ')],
    ['for', payer.filter(Boolean).join(', ')],
    ['what', receipt.description],
    ['paid with', receipt.paidWith ?? ''],
    ...(taxRate === null
      ? []
      : [
          ['net', `${inUsd(receipt.netMicros)} USD`],
          [`tax ${taxRate / 1000} %`, `${inUsd(receipt.taxMicros)} USD`],
        ]),
    ['tax', taxNote],
    ['total', `${inUsd(receipt.totalMicros)} USD`],
  ].filter(([, value]) => value !== '');
  return { text: table(lines), data: receipt };
}
