import type { TransactionPage } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';
import type { Paging } from './paging.ts';

/** GET …/billing/transactions/, with the number of all of them. */
export const loadTransactions = promisePlaceholder<TransactionPage, { orgUuid: string; paging: Paging }>(
  'loadTransactions',
);

/** The address of a receipt, and whether the browser has opened it in a tab of its own. */
export type OpenedReceipt = { url: string; isOpen: boolean };
/** GET …/billing/transaction/{transaction}/receipt-url/, and its page in another tab. */
export const openReceipt = promisePlaceholder<OpenedReceipt, { orgUuid: string; transaction: string }>('openReceipt');
/** DELETE …/billing/transaction/{transaction}/receipt-url/ */
export const withdrawLinks = promisePlaceholder<unknown, { orgUuid: string; transaction: string }>('withdrawLinks');
