import { assign, setup } from 'xstate';
import type { LogChoices, LogEntry, LogPage } from '#contract/logs.ts';
import { failureOf, type Failure } from '../../shared/failure.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { LogsRoute, LogsView, Route, RouteChanged } from '../../shared/route.ts';
import type { ScreenStale } from '../stale.ts';
import { loadLogs, readStart } from './actors.ts';
import { logDetailsMachine } from './details/machine.ts';
import { downloadMachine } from '../download/machine.ts';
import {
  changed,
  filterOf,
  hasTimes,
  isSameFilter,
  shownOf,
  timesProblem,
  viewOf,
  type Facet,
  type LogFilter,
  type LogPeriod,
} from './filter.ts';
import { isConnected, newIn, withBeginning, withFurther } from './rows.ts';

export type LogsInput = {
  orgUuid: string;
  projectUuid: string;
  /** What the address selects. */
  view: LogsView;
};

/** New rows to announce: a further page, or new requests. */
type Arrival = { what: 'further' | 'new'; count: number };

export type LogsContext = LogsInput & {
  /** The latest query, with the start of its period fixed. */
  filter: LogFilter | null;
  rows: readonly LogEntry[];
  /** Where the next page starts; null after the last. */
  nextCursor: string | null;
  /** Stay while others load. */
  choices: LogChoices | null;
  failure: Failure | null;
  /** What is wrong with the chosen times. */
  problem: string | null;
  /** Whether live updates are on. */
  isLive: boolean;
  /** Requests were added since the first page was read. */
  isStale: boolean;
  /** The top of the list is in view, so that new rows may be inserted. */
  isAtTop: boolean;
  /** The newest first page, held back while the person reads further down. */
  fresh: LogPage | null;
  arrival: Arrival | null;
  /** The row to focus; null once the view has focused it. */
  focusId: string | null;
};

type Times = { from: string | null; to: string | null };

const isLogs = (route: Route): route is LogsRoute => route.screen === 'logs';

export const routeShowing = ({ orgUuid, projectUuid, view }: LogsInput): LogsRoute => ({
  screen: 'logs',
  orgUuid,
  projectUuid,
  ...view,
});

/** Context for another view. A period with an end has no live updates. */
const showing = ({ isLive }: LogsContext, view: LogsView): Partial<LogsContext> => ({
  view,
  problem: null,
  isLive: isLive && shownOf(view).to === undefined,
});

const openOf = ({ log }: LogsView): LogsView => (log === undefined ? {} : { log });

const typed = ({ from, to }: Times) => ({ ...(from !== null && { from }), ...(to !== null && { to }) });

/** Inserts a newer first page. */
const renewed = ({ rows, nextCursor }: LogsContext, page: LogPage): Partial<LogsContext> => ({
  rows: withBeginning(rows, page),
  nextCursor: isConnected(rows, page) && page.next_page_cursor !== null ? nextCursor : page.next_page_cursor,
  choices: page.choices,
  fresh: null,
  arrival: { what: 'new', count: newIn(rows, page) },
});

export const setupLogs = setup({
  types: {} as {
    context: LogsContext;
    input: LogsInput;
    events:
      | RouteChanged
      | ScreenStale
      | { type: 'retry.requested' }
      | { type: 'facet.chosen'; facet: Facet; value: string | null }
      | { type: 'filters.cleared' }
      | { type: 'period.chosen'; period: LogPeriod }
      | { type: 'times.edited' }
      /** UTC times; null for an open side. Invalid times are refused. */
      | ({ type: 'times.submitted' } & Times)
      | { type: 'live.switched'; isLive: boolean }
      | { type: 'top.reached' }
      | { type: 'top.left' }
      | { type: 'fresh.requested' }
      | { type: 'more.requested' }
      | { type: 'focus.placed' }
      | { type: 'log.closed' };
    tags: 'loading' | 'failed' | 'shown' | 'loadingMore' | 'moreFailed' | 'tailFailed' | 'opened';
    children: {
      readStart: 'readStart';
      firstPage: 'loadLogs';
      nextPage: 'loadLogs';
      beginning: 'loadLogs';
      details: 'details';
      download: 'download';
    };
  },
  actors: { readStart, loadLogs, details: logDetailsMachine, download: downloadMachine },
  // A busy project is read at most about once a second.
  delays: { pause: 1000 },
  guards: {
    isOtherFilter: ({ context }, { route }: { route: Route }) => isLogs(route) && !isSameFilter(route, context.view),
    isOtherLog: ({ context }, { route }: { route: Route }) => isLogs(route) && route.log !== context.view.log,
    isOtherFacet: ({ context }, { facet, value }: { facet: Facet; value: string | null }) =>
      (shownOf(context.view)[facet] ?? null) !== (value === '' ? null : value),
    isTimes: (_, times: Times) => timesProblem(typed(times)) === null && hasTimes(typed(times)),
    isProblem: (_, times: Times) => timesProblem(typed(times)) !== null,
    hasLog: ({ context }) => shownOf(context.view).log !== undefined,
    canSwitch: ({ context }, { isLive }: { isLive: boolean }) =>
      context.isLive !== isLive && shownOf(context.view).to === undefined,
    isRereadDue: ({ context }) => context.isLive && context.isStale,
    hasMore: ({ context }) => context.nextCursor !== null,
    hasFresh: ({ context }) => context.fresh !== null,
    hasNearFresh: ({ context: { fresh, rows } }) => fresh !== null && isConnected(rows, fresh),
    isNothingNew: ({ context }, page: LogPage) => newIn(context.rows, page) === 0,
    isNearAtTop: ({ context }, page: LogPage) => context.isAtTop && isConnected(context.rows, page),
    isAtTop: ({ context }) => context.isAtTop,
  },
  actions: {
    adoptView: assign(({ context }, { route }: { route: Route }) =>
      isLogs(route) ? showing(context, viewOf(route)) : {},
    ),
    chooseFacet: assign(({ context }, { facet, value }: { facet: Facet; value: string | null }) =>
      showing(context, changed(context.view, { [facet]: value })),
    ),
    // The opened request stays open.
    clearFilters: assign(({ context }) => showing(context, openOf(context.view))),
    choosePeriod: assign(({ context }, { period }: { period: LogPeriod }) =>
      showing(context, changed(context.view, { period, from: null, to: null })),
    ),
    chooseTimes: assign(({ context }, { from, to }: Times) =>
      showing(context, changed(context.view, { period: null, from, to })),
    ),
    clearProblem: assign({ problem: null }),
    setProblem: assign((_, times: Times) => ({ problem: timesProblem(typed(times)) })),
    closeLog: assign(({ context }) => ({ view: changed(context.view, { log: null }) })),
    decide: assign(({ context }, start: string | null) => ({
      filter: filterOf(context.view, start),
      isStale: false,
      fresh: null,
      arrival: null,
    })),
    setPage: assign((_, page: LogPage) => ({
      rows: page.logs,
      nextCursor: page.next_page_cursor,
      choices: page.choices,
      failure: null,
    })),
    setFurther: assign(({ context: { rows } }, page: LogPage) => {
      const all = withFurther(rows, page);
      return {
        rows: all,
        nextCursor: page.next_page_cursor,
        failure: null,
        focusId: all[rows.length]?.id ?? null,
        arrival: { what: 'further' as const, count: all.length - rows.length },
      };
    }),
    setFailure: assign(failureOf),
    switchLive: assign((_, { isLive }: { isLive: boolean }) => ({ isLive, isStale: isLive })),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
    noteTop: assign((_, { type }: { type: 'top.reached' | 'top.left' }) => ({ isAtTop: type === 'top.reached' })),
    renew: assign(({ context }, page: LogPage) => renewed(context, page)),
    setFresh: assign((_, page: LogPage) => ({ fresh: page })),
    showFresh: assign(({ context }) =>
      context.fresh === null ? {} : { ...renewed(context, context.fresh), focusId: context.fresh.logs[0]?.id ?? null },
    ),
    clearFocus: assign({ focusId: null }),
    sendToApp: sendToApp<NavigateRequested>(),
  },
});

/** The chart's input from its route. */
export const logsInput = (route: Route): LogsInput => {
  if (!isLogs(route)) throw new Error('The route is not the logs.');
  return { orgUuid: route.orgUuid, projectUuid: route.projectUuid, view: viewOf(route) };
};
