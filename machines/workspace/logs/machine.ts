// Models the logs of a project: its requests by the filter in the address, page by page; the opened one; and live
// additions.
// Owned by the workspace, while the screen of the logs is open.
import type { ActorRefFrom } from 'xstate';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { UNREAD } from '../../shared/unread.ts';
import { lengthOf, type LogFilter } from './filter.ts';
import type { LogsContext } from './context.ts';
import { routeShowing, setupLogs } from './setup.ts';

export { logsInput } from './setup.ts';

const NO_FILTER: LogFilter = {};

/** The request for a page; a null cursor for the first. */
const pageOf = ({ projectUuid, filter }: LogsContext, cursor: string | null) => ({
  projectUuid,
  filter: filter ?? NO_FILTER,
  cursor,
});

/** Writes what is shown into the address. */
const toAddress = (how: { replace?: true } = {}) =>
  ({
    type: 'sendToApp',
    params: ({ context }: { context: LogsContext }) =>
      ({ type: 'navigate.requested', to: routeShowing(context), ...how }) as const,
  }) as const;
const TO_ADDRESS = toAddress();
const REPLACING = toAddress({ replace: true });

const pages = setupLogs.createStateConfig({
  initial: 'idle',
  states: {
    idle: { on: { 'more.requested': { guard: 'hasMore', target: 'loadingMore' } } },
    loadingMore: {
      tags: 'loadingMore',
      invoke: {
        id: 'nextPage',
        src: 'loadLogs',
        input: ({ context }) => pageOf(context, context.nextCursor),
        onDone: { target: 'idle', actions: withOutput('setFurther') },
        onError: { target: 'readFailed', actions: withEvent('setFailure') },
      },
    },
    readFailed: {
      tags: 'moreFailed',
      meta: UNREAD,
      on: { 'more.requested': 'loadingMore', 'retry.requested': 'loadingMore' },
    },
  },
});

/** Reads the first page again while live updates are on. New rows wait if the person has scrolled down. */
const tail = setupLogs.createStateConfig({
  initial: 'waiting',
  on: {
    'live.switched': { guard: withEvent('canSwitch'), target: '.waiting', actions: withEvent('switchLive') },
  },
  states: {
    waiting: { always: { guard: 'isRereadDue', target: 'reading' } },
    reading: {
      entry: 'clearStale',
      invoke: {
        id: 'beginning',
        src: 'loadLogs',
        input: ({ context }) => pageOf(context, null),
        onDone: [
          { guard: withOutput('isNothingNew'), target: 'pausing', actions: withOutput('setChanged') },
          { guard: withOutput('isConnectedAtTop'), target: 'pausing', actions: withOutput('setNewest') },
          {
            // There is a gap between the new rows and the old, so the old go, and so does a page under way.
            guard: 'isAtTop',
            target: ['pausing', '#logs.requests.shown.pages.idle'],
            actions: withOutput('setNewest'),
          },
          { target: 'pausing', actions: withOutput('setFresh') },
        ],
        onError: { target: 'readFailed', actions: withEvent('setFailure') },
      },
    },
    pausing: { after: { pause: 'waiting' } },
    readFailed: { tags: 'tailFailed', meta: UNREAD, on: { 'retry.requested': 'reading', 'screen.stale': 'reading' } },
  },
});

const requests = setupLogs.createStateConfig({
  initial: 'loading',
  // Not at the root, where a transition would restart the other region too.
  on: {
    'route.changed': { guard: withEvent('isOtherFilter'), target: '.loading', actions: withEvent('adoptView') },
    'facet.chosen': {
      guard: withEvent('isOtherFacet'),
      target: '.loading',
      actions: [withEvent('chooseFacet'), TO_ADDRESS],
    },
    'filters.cleared': { target: '.loading', actions: ['clearFilters', TO_ADDRESS] },
    'period.chosen': { target: '.loading', actions: [withEvent('choosePeriod'), TO_ADDRESS] },
    'filters.submitted': [
      { guard: 'isTypedWrong', actions: 'setProblem' },
      { guard: 'isTypedOther', target: '.loading', actions: ['takeTyped', TO_ADDRESS] },
    ],
    'filters.closed': [
      { guard: 'isOtherReference', target: '.loading', actions: ['dropTimes', 'takeTyped', TO_ADDRESS] },
      { actions: 'dropTyped' },
    ],
  },
  states: {
    loading: {
      tags: 'loading',
      initial: 'dating',
      states: {
        dating: {
          invoke: {
            id: 'readStart',
            src: 'readStart',
            input: ({ context }) => ({ lengthMs: lengthOf(context.view) }),
            onDone: [
              {
                guard: 'isBad',
                target: 'fetching',
                actions: [withOutput('setFilter'), 'leaveOutBad', REPLACING],
              },
              { target: 'fetching', actions: withOutput('setFilter') },
            ],
            onError: { target: '#logs.requests.failed', actions: withEvent('setFailure') },
          },
        },
        fetching: {
          invoke: {
            id: 'firstPage',
            src: 'loadLogs',
            input: ({ context }) => pageOf(context, null),
            onDone: { target: '#logs.requests.shown', actions: withOutput('setPage') },
            onError: { target: '#logs.requests.failed', actions: withEvent('setFailure') },
          },
        },
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    shown: {
      tags: 'shown',
      type: 'parallel',
      on: {
        'fresh.requested': [
          { guard: 'isFreshConnected', actions: 'showFresh' },
          { guard: 'hasFresh', target: '.pages.idle', actions: 'showFresh' },
        ],
      },
      states: { pages, tail },
    },
  },
});

/** The request named in the address. */
const opened = setupLogs.createStateConfig({
  initial: 'deciding',
  on: { 'route.changed': { guard: withEvent('isOtherLog'), target: '.deciding', actions: withEvent('adoptLog') } },
  states: {
    deciding: { always: [{ guard: 'hasLog', target: 'open' }, { target: 'closed' }] },
    closed: {},
    open: {
      tags: 'opened',
      invoke: {
        id: 'details',
        src: 'details',
        input: ({ context: { projectUuid, view, rows } }) => ({
          projectUuid,
          id: view.log ?? '',
          entry: rows.find(({ id }) => id === view.log) ?? null,
        }),
      },
      on: {
        'log.closed': { target: 'closed', actions: ['closeLog', REPLACING] },
      },
    },
  },
});

export const logsMachine = setupLogs.createMachine({
  id: 'logs',
  context: ({ input }) => ({
    ...input,
    isBad: false,
    filter: null,
    rows: [],
    nextCursor: null,
    choices: null,
    failure: null,
    typed: null,
    typedReference: null,
    problem: null,
    isLive: false,
    isStale: false,
    isAtTop: true,
    fresh: null,
    arrival: null,
    focusId: null,
  }),
  invoke: { id: 'download', src: 'download' },
  type: 'parallel',
  on: {
    'times.edited': { actions: withEvent('noteTimes') },
    'times.closed': { actions: 'dropTimes' },
    'reference.edited': { actions: withEvent('noteReference') },
    'live.switched': { guard: withEvent('canSwitch'), actions: withEvent('switchLive') },
    'screen.stale': { actions: 'noteStale' },
    'top.reached': { actions: withEvent('noteTop') },
    'top.left': { actions: withEvent('noteTop') },
    'focus.placed': { actions: 'clearFocus' },
  },
  states: { requests, opened },
});

export type LogsActor = ActorRefFrom<typeof logsMachine>;
