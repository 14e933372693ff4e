import { assign, setup } from 'xstate';
import type { LogPage } from '#contract/logs.ts';
import { failureOf } from '../../shared/failure.ts';
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
  isBadAddress,
  isSameFilter,
  validView,
  timesProblem,
  viewIn,
  type Facet,
  type LogPeriod,
} from './filter.ts';
import type { LogsContext, LogsInput, Times } from './context.ts';
import { followsOn, newOn, withChanged, withFurther, withNewest } from './rows.ts';

const isLogs = (route: Route): route is LogsRoute => route.screen === 'logs';

export const routeShowing = ({ orgUuid, projectUuid, view }: LogsInput): LogsRoute => ({
  screen: 'logs',
  orgUuid,
  projectUuid,
  ...view,
});

/** Nothing is typed. */
const SETTLED = { typed: null, typedReference: null, problem: null };

/** Context for another view. A period with an end has no live updates. */
const contextWith = ({ isLive }: LogsContext, view: LogsView): Partial<LogsContext> => ({
  view,
  isBad: isBadAddress(view),
  ...SETTLED,
  isLive: isLive && validView(view).to === undefined,
});

/** The view without its filter. */
const onlyOpened = ({ log }: LogsView): LogsView => (log === undefined ? {} : { log });

/** The times without their open sides. */
const given = ({ from, to }: Times) => ({ ...(from !== null && { from }), ...(to !== null && { to }) });

const areTimes = (times: Times | null): times is Times =>
  times !== null && timesProblem(given(times)) === null && hasTimes(given(times));

/** The view with what is typed: the reference, and the times unless they are wrong. */
const typedView = ({ view, typed, typedReference }: LogsContext): LogsView =>
  changed(view, {
    ...(typedReference !== null && { reference: typedReference.trim() }),
    ...(areTimes(typed) && { period: null, ...typed }),
  });

/** Whether typed times are wrong: they stay for correction when another filter is chosen. */
const isWrong = ({ typed }: LogsContext): boolean => typed !== null && timesProblem(given(typed)) !== null;

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
      | ({ type: 'times.edited' } & Times)
      | { type: 'reference.edited'; reference: string }
      /** Applies all that is typed; wrong times are refused. */
      | { type: 'filters.submitted' }
      /** The fields of the times are gone: forgets typed times. */
      | { type: 'times.closed' }
      /** All fields are gone: applies a typed reference, and forgets typed times. */
      | { type: 'filters.closed' }
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
      (validView(context.view)[facet] ?? null) !== (value === '' ? null : value),
    isTypedWrong: ({ context }) => isWrong(context),
    isTypedOther: ({ context }) => !isSameFilter(typedView(context), changed(context.view, {})),
    isOtherReference: ({ context }) => typedView(context).reference !== validView(context.view).reference,
    isBad: ({ context }) => isBadAddress(context.view),
    hasLog: ({ context }) => validView(context.view).log !== undefined,
    canSwitch: ({ context }, { isLive }: { isLive: boolean }) =>
      context.isLive !== isLive && validView(context.view).to === undefined,
    isRereadDue: ({ context }) => context.isLive && context.isStale,
    hasMore: ({ context }) => context.nextCursor !== null,
    hasFresh: ({ context }) => context.fresh !== null,
    isFreshConnected: ({ context }) => context.fresh !== null && followsOn(context, context.fresh),
    isNothingNew: ({ context }, page: LogPage) => newOn(context, page) === 0,
    isConnectedAtTop: ({ context }, page: LogPage) => context.isAtTop && followsOn(context, page),
    isAtTop: ({ context }) => context.isAtTop,
  },
  actions: {
    adoptView: assign(({ context }, { route }: { route: Route }) =>
      isLogs(route) ? contextWith(context, viewIn(route)) : {},
    ),
    // What is typed stays: it is about the list.
    adoptLog: assign((_, { route }: { route: Route }) =>
      isLogs(route) ? { view: viewIn(route), isBad: isBadAddress(viewIn(route)) } : {},
    ),
    chooseFacet: assign(({ context }, { facet, value }: { facet: Facet; value: string | null }) => ({
      ...contextWith(context, changed(typedView(context), { [facet]: value })),
      ...(isWrong(context) && { typed: context.typed, problem: context.problem }),
    })),
    // The opened request stays open.
    clearFilters: assign(({ context }) => contextWith(context, onlyOpened(context.view))),
    choosePeriod: assign(({ context }, { period }: { period: LogPeriod }) =>
      contextWith(context, changed(typedView(context), { period, from: null, to: null })),
    ),
    noteTimes: assign((_, { from, to }: Times) => ({ typed: { from, to }, problem: null })),
    noteReference: assign((_, { reference }: { reference: string }) => ({ typedReference: reference })),
    takeTyped: assign(({ context }) => contextWith(context, typedView(context))),
    dropTimes: assign({ typed: null, problem: null }),
    dropTyped: assign(SETTLED),
    setProblem: assign(({ context: { typed } }) => ({ problem: typed && timesProblem(given(typed)) })),
    leaveOutBad: assign(({ context }) => ({ view: validView(context.view), isBad: true })),
    closeLog: assign(({ context }) => ({ view: changed(context.view, { log: null }) })),
    setFilter: assign(({ context }, start: string | null) => ({
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
    setFurther: assign(({ context }, page: LogPage) => withFurther(context, page)),
    setFailure: assign(failureOf),
    switchLive: assign((_, { isLive }: { isLive: boolean }) => ({ isLive, isStale: isLive })),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
    noteTop: assign((_, { type }: { type: 'top.reached' | 'top.left' }) => ({ isAtTop: type === 'top.reached' })),
    setChanged: assign(({ context }, page: LogPage) => withChanged(context, page)),
    setNewest: assign(({ context }, page: LogPage) => withNewest(context, page)),
    setFresh: assign((_, page: LogPage) => ({ fresh: page })),
    showFresh: assign(({ context }) =>
      context.fresh === null
        ? {}
        : { ...withNewest(context, context.fresh), focusId: context.fresh.logs[0]?.id ?? null },
    ),
    clearFocus: assign({ focusId: null }),
    sendToApp: sendToApp<NavigateRequested>(),
  },
});

/** The chart's input from its route. */
export const logsInput = (route: Route): LogsInput => {
  if (!isLogs(route)) throw new Error('The route is not the logs.');
  return { orgUuid: route.orgUuid, projectUuid: route.projectUuid, view: viewIn(route) };
};
