import type { TransactionPage } from '#contract/transactions.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';
import type { Paging } from './paging.ts';

/** GET …/billing/transactions/, with the total number. */
export const loadTransactions = promisePlaceholder<TransactionPage, { orgUuid: string; paging: Paging }>(
  'loadTransactions',
);

/** A receipt's URL, and whether the browser has opened it in a new tab. */
export type OpenedReceipt = { url: string; isOpen: boolean };
/** GET …/billing/transaction/{transaction}/receipt-url/, and opens the page in a new tab. */
export const openReceipt = promisePlaceholder<OpenedReceipt, { orgUuid: string; transaction: string }>('openReceipt');
/** DELETE …/billing/transaction/{transaction}/receipt-url/ */
export const withdrawLinks = promisePlaceholder<unknown, { orgUuid: string; transaction: string }>('withdrawLinks');
