// Models an organization's transactions, of the kind and on the page in the address; opening receipts, and withdrawing
// their links.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Transaction, TransactionKind, TransactionPage } from '#contract/transactions.ts';
import { sendToApp, type NavigateRequested } from '../../../shared/appServices.ts';
import { type Failure, failureOf, toFailure } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import type { Route, RouteChanged, TransactionsRoute, TransactionsView } from '../../../shared/route.ts';
import { reading } from '../../../shared/loaded.ts';
import { UNREAD } from '../../../shared/unread.ts';
import { downloadMachine } from '../../download/machine.ts';
import type { ScreenStale } from '../../stale.ts';
import { loadTransactions, openReceipt, withdrawLinks, type OpenedReceipt } from './actors.ts';
import { badIn, isSameView, pagingOf, viewOf, viewOfKind, viewShowing, type BadPart } from './paging.ts';
import { unpostedIn } from './unposted.ts';

type Input = {
  orgUuid: string;
  /** What the address selects. */
  view: TransactionsView;
};

export type TransactionsContext = Input & {
  /** What the address asked for that cannot be shown. It is left out of it. */
  bad: readonly BadPart[];
  rows: readonly Transaction[];
  /** Transactions of the kind, on all pages. */
  total: number;
  /** Usage that is not posted yet, micro-USD. */
  unpostedMicros: number;
  /** Whether the server knows kinds and the export; one of the version before does not. */
  knowsKinds: boolean;
  /** The balance, micro-USD. */
  balanceMicros: number;
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
      /** Null for all. */
      | { type: 'kind.chosen'; kind: TransactionKind | null }
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
      download: 'download';
    };
  },
  actors: { loadTransactions, openReceipt, withdrawLinks, download: downloadMachine },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isTransactions(route) && !isSameView(route, context.view),
    isOtherKind: ({ context }, { kind }: { kind: TransactionKind | null }) =>
      (pagingOf(context.view).kind ?? null) !== kind,
    isBad: ({ context }) => badIn(context.view).length > 0,
    hasLeftOut: ({ context }) => context.bad.length > 0,
    hasReceipt: ({ context: { rows } }, { transaction }: { transaction: string }) =>
      rows.some(({ uuid, receipt: of }) => uuid === transaction && of !== null),
    isOpening: ({ context }, { transaction }: { transaction: string }) => context.receiptOf === transaction,
    isOpen: (_, { isOpen }: OpenedReceipt) => isOpen,
    isEmpty: ({ context }) => context.total === 0 && unpostedIn(context).length === 0,
    isBeyond: ({ context: { rows, total } }) => rows.length === 0 && total > 0,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) =>
      isTransactions(route) ? { view: viewOf(route), bad: [] } : {},
    ),
    chooseKind: assign(({ context: { view } }, { kind }: { kind: TransactionKind | null }) => ({
      view: viewOfKind(view, kind),
      bad: [],
    })),
    leaveOutBad: assign(({ context: { view } }) => ({ view: viewShowing(pagingOf(view)), bad: badIn(view) })),
    sendToApp: sendToApp<NavigateRequested>(),
    setPage: assign((_, { transactions, total, unposted_micros, balance_micros }: TransactionPage) => ({
      rows: transactions,
      total: total ?? transactions.length,
      unpostedMicros: unposted_micros,
      knowsKinds: balance_micros !== null,
      // A server that knows no kinds sends the newest transaction of all first.
      balanceMicros: balance_micros ?? (transactions[0]?.balance_after_micros ?? 0) - unposted_micros,
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

/** Writes what is shown into the address. */
const toAddress = (how: { replace?: true } = {}) =>
  ({
    type: 'sendToApp',
    params: ({ context: { orgUuid, view } }: { context: TransactionsContext }) =>
      ({ type: 'navigate.requested', to: { screen: 'transactions', orgUuid, ...view }, ...how }) as const,
  }) as const;

const list = setupTransactions.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': { guard: withEvent('isOther'), target: '.deciding', actions: withEvent('adoptView') },
    'kind.chosen': {
      guard: withEvent('isOtherKind'),
      target: '.loading',
      actions: [withEvent('chooseKind'), toAddress()],
    },
  },
  states: {
    deciding: {
      always: [{ guard: 'isBad', target: 'loading', actions: 'leaveOutBad' }, { target: 'loading' }],
    },
    loading: {
      tags: 'loading',
      // The change may be newer than the answer under way.
      on: { 'screen.stale': { target: 'loading', reenter: true } },
      invoke: {
        // The address that is being opened is replaced only now: the router has finished with it.
        ...reading('loadTransactions', pageOf, 'failed', [
          { guard: 'hasLeftOut', target: 'shown', actions: [withOutput('setPage'), toAddress({ replace: true })] },
          { target: 'shown', actions: withOutput('setPage') },
        ]),
        id: 'page',
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading', 'screen.stale': 'loading' } },
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
    bad: [],
    rows: [],
    total: 0,
    unpostedMicros: 0,
    knowsKinds: true,
    balanceMicros: 0,
    failure: null,
    receiptOf: null,
    receiptUrl: null,
    receiptFailure: null,
    withdrawalOf: null,
    withdrawalFailure: null,
  }),
  invoke: { id: 'download', src: 'download' },
  states: { list, receipt, withdrawal },
});

/** The chart's input from its route. */
export const transactionsInput = (route: Route): Input => {
  if (!isTransactions(route)) throw new Error('The route is not the transactions.');
  return { orgUuid: route.orgUuid, view: viewOf(route) };
};

export type TransactionsActor = ActorRefFrom<typeof transactionsMachine>;
