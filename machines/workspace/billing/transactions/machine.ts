// Models an organization's transactions, on the page in the address; opening receipts, and withdrawing their links.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Transaction, TransactionPage } from '#contract/billing.ts';
import { type Failure, failureOf, toFailure } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import type { Route, RouteChanged, TransactionsRoute, TransactionsView } from '../../../shared/route.ts';
import { reading } from '../../../shared/loaded.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import { loadTransactions, openReceipt, withdrawLinks, type OpenedReceipt } from './actors.ts';
import { isSameView, pagingOf, viewOf } from './paging.ts';

type Input = {
  orgUuid: string;
  /** What the address selects. */
  view: TransactionsView;
};

export type TransactionsContext = Input & {
  rows: readonly Transaction[];
  /** Transactions on all pages. */
  total: number;
  /** Usage that is not posted yet, micro-USD. */
  unpostedMicros: number;
  failure: Failure | null;
  /** The transaction whose receipt was requested last. */
  receiptOf: string | null;
  /** URL of that receipt, if the browser did not open it. */
  receiptUrl: string | null;
  receiptFailure: Failure | null;
  /** The transaction whose receipt links are being withdrawn, or were last. */
  withdrawalOf: string | null;
  withdrawalFailure: Failure | null;
};

const isTransactions = (route: Route): route is TransactionsRoute => route.screen === 'transactions';

const setupTransactions = setup({
  types: {} as {
    context: TransactionsContext;
    input: Input;
    events:
      | RouteChanged
      | ScreenStale
      | { type: 'retry.requested' }
      | { type: 'receipt.requested'; transaction: string }
      | { type: 'withdrawal.requested'; transaction: string }
      | { type: 'withdrawal.confirmed' }
      | { type: 'withdrawal.declined' };
    tags:
      | 'loading'
      | 'failed'
      | 'empty'
      | 'beyond'
      | 'listed'
      | 'outdated'
      | 'opening'
      | 'refused'
      | 'blocked'
      | 'asking'
      | 'withdrawing'
      | 'withdrawn'
      | 'kept';
    children: {
      page: 'loadTransactions';
      newest: 'loadTransactions';
      openReceipt: 'openReceipt';
      withdrawLinks: 'withdrawLinks';
    };
  },
  actors: { loadTransactions, openReceipt, withdrawLinks },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isTransactions(route) && !isSameView(route, context.view),
    hasReceipt: ({ context: { rows } }, { transaction }: { transaction: string }) =>
      rows.some(({ uuid, receipt: of }) => uuid === transaction && of !== null),
    isOpening: ({ context }, { transaction }: { transaction: string }) => context.receiptOf === transaction,
    isOpen: (_, { isOpen }: OpenedReceipt) => isOpen,
    isEmpty: ({ context: { total } }) => total === 0,
    isBeyond: ({ context: { rows } }) => rows.length === 0,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) => (isTransactions(route) ? { view: viewOf(route) } : {})),
    setPage: assign((_, { transactions, total, unposted_micros }: TransactionPage) => ({
      rows: transactions,
      total: total ?? transactions.length,
      unpostedMicros: unposted_micros,
      failure: null,
    })),
    setFailure: assign(failureOf),
    askReceipt: assign((_, { transaction }: { transaction: string }) => ({
      receiptOf: transaction,
      receiptUrl: null,
      receiptFailure: null,
    })),
    askWithdrawal: assign((_, { transaction }: { transaction: string }) => ({
      withdrawalOf: transaction,
      withdrawalFailure: null,
    })),
    setWithdrawalFailure: assign((_, { error }: { error: unknown }) => ({ withdrawalFailure: toFailure(error) })),
    setReceipt: assign((_, { url }: OpenedReceipt) => ({ receiptUrl: url })),
    setReceiptFailure: assign((_, { error }: { error: unknown }) => ({
      receiptFailure: toFailure(error),
    })),
  },
});

/** The request for the page in the address. */
const pageOf = ({ orgUuid, view }: TransactionsContext) => ({
  orgUuid,
  paging: pagingOf(view),
});

const list = setupTransactions.createStateConfig({
  initial: 'loading',
  on: {
    'route.changed': { guard: withEvent('isOther'), target: '.loading', actions: withEvent('adoptView') },
  },
  states: {
    loading: {
      tags: 'loading',
      // The change may be newer than the answer under way.
      on: { 'screen.stale': { target: 'loading', reenter: true } },
      invoke: {
        ...reading('loadTransactions', pageOf, 'failed', { target: 'shown', actions: withOutput('setPage') }),
        id: 'page',
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    shown: {
      initial: 'deciding',
      on: { 'screen.stale': { target: '.rereading', reenter: true } },
      states: {
        deciding: {
          always: [
            { guard: 'isEmpty', target: 'empty' },
            { guard: 'isBeyond', target: 'beyond' },
            { target: 'listed' },
          ],
        },
        empty: { tags: 'empty' },
        // The address has a page after the last.
        beyond: { tags: 'beyond' },
        listed: { tags: 'listed' },
        // The old rows stay until the answer comes.
        rereading: {
          tags: 'listed',
          invoke: {
            ...reading('loadTransactions', pageOf, 'outdated', { target: 'deciding', actions: withOutput('setPage') }),
            id: 'newest',
          },
        },
        outdated: { tags: ['listed', 'outdated'], meta: UNREAD, on: { 'retry.requested': 'rereading' } },
      },
    },
  },
});

/** Opens the latest requested receipt in a new tab. */
const receipt = setupTransactions.createStateConfig({
  initial: 'closed',
  on: {
    'receipt.requested': {
      guard: withEvent('hasReceipt'),
      target: '.opening',
      actions: withEvent('askReceipt'),
    },
  },
  states: {
    closed: {},
    opening: {
      tags: 'opening',
      // One request for a receipt is enough.
      on: { 'receipt.requested': { guard: withEvent('isOpening') } },
      invoke: {
        id: 'openReceipt',
        src: 'openReceipt',
        input: ({ context: { orgUuid, receiptOf } }) => ({ orgUuid, transaction: receiptOf ?? '' }),
        onDone: [
          { guard: withOutput('isOpen'), target: 'closed' },
          { target: 'blocked', actions: withOutput('setReceipt') },
        ],
        onError: { target: 'refused', actions: withEvent('setReceiptFailure') },
      },
    },
    // The browser blocked the new tab; the page shows a link.
    blocked: { tags: 'blocked' },
    refused: { tags: 'refused' },
  },
});

/** Withdraws the links to a receipt, after a question. */
const withdrawal = setupTransactions.createStateConfig({
  initial: 'idle',
  states: {
    idle: {
      on: {
        'withdrawal.requested': {
          guard: withEvent('hasReceipt'),
          target: 'asking',
          actions: withEvent('askWithdrawal'),
        },
      },
      initial: 'quiet',
      states: { quiet: {}, withdrawn: { tags: 'withdrawn' }, kept: { tags: 'kept' } },
    },
    asking: { tags: 'asking', on: { 'withdrawal.confirmed': 'withdrawing', 'withdrawal.declined': 'idle' } },
    withdrawing: {
      tags: 'withdrawing',
      invoke: {
        id: 'withdrawLinks',
        src: 'withdrawLinks',
        input: ({ context: { orgUuid, withdrawalOf } }) => ({ orgUuid, transaction: withdrawalOf ?? '' }),
        onDone: 'idle.withdrawn',
        onError: { target: 'idle.kept', actions: withEvent('setWithdrawalFailure') },
      },
    },
  },
});

export const transactionsMachine = setupTransactions.createMachine({
  id: 'transactions',
  type: 'parallel',
  context: ({ input }) => ({
    ...input,
    rows: [],
    total: 0,
    unpostedMicros: 0,
    failure: null,
    receiptOf: null,
    receiptUrl: null,
    receiptFailure: null,
    withdrawalOf: null,
    withdrawalFailure: null,
  }),
  states: { list, receipt, withdrawal },
});

/** The chart's input from its route. */
export const transactionsInput = (route: Route): Input => {
  if (!isTransactions(route)) throw new Error('The route is not the transactions.');
  return { orgUuid: route.orgUuid, view: viewOf(route) };
};

export type TransactionsActor = ActorRefFrom<typeof transactionsMachine>;
