import { describe, expect } from 'vitest';
import type { LogEntry } from '#contract/logs.ts';
import { CallError } from '#machines/shared/failure.ts';
import { logDetailsMachine } from '#machines/workspace/logs/details/machine.ts';
import { lengthOf } from '#machines/workspace/logs/filter.ts';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import { waitingIn } from '#machines/workspace/logs/rows.ts';
import { logDetails, logEntry, logPage } from '../test/machines/logged.ts';
import { uuidOf } from '../test/machines/people.ts';
import { describeWalk, describeWalks, FAILURE } from './walk.ts';

const details = logDetails();
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' });

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const at = (view: object) => ({ type: 'route.changed', route: { screen: 'logs', ...place, ...view } });

/** What is read when something has been added: nothing new, what goes on where the list begins, and more than was read. */
const BEGINNINGS = [logPage([2, 1], 'c1'), logPage([3, 2], 'c1'), logPage([9, 8], 'c8')];

describe('PRJ-05: logs', () => {
  describeWalks(
    logsMachine,
    {
      tags: {
        loading: ['requests.loading'],
        failed: ['requests.failed'],
        shown: ['requests.shown'],
        loadingMore: ['requests.shown.pages.loadingMore'],
        moreFailed: ['requests.shown.pages.readFailed'],
        tailFailed: ['requests.shown.tail.readFailed'],
        opened: ['opened.open'],
      },
      refused: [
        {
          states: [''],
          event: { type: 'facet.chosen', facet: 'status', value: null },
          when: ({ context }) => context.view.status === undefined,
          why: 'Any state shows',
        },
        {
          states: [''],
          event: { type: 'filters.submitted' },
          when: ({ context }) => context.typed === null && context.typedReference === null,
          why: 'Nothing is typed',
        },
      ],
      ignored: {
        'It is so already; what has an end gets nothing new': 'live.switched at times in any state',
        'Nothing is typed, or it shows already': 'filters.submitted at times in any state',
        'Nothing is open': 'log.closed in opened.closed',
        'It is being read': 'more.requested in requests.{loading, shown.pages.loadingMore}',
        'Retry goes on there': 'more.requested in requests.failed',
        'It is the last page': 'more.requested at times in requests.shown.pages.idle',
        'Nothing waits': 'fresh.requested in requests.{loading, failed}',
        'Nothing may wait': 'fresh.requested at times in requests.shown',
        'Nothing has failed': [
          'retry.requested in requests.loading',
          'retry.requested in requests.shown.tail.{pausing, reading}',
        ],
        'Nothing has failed, unless a page has': 'retry.requested at times in requests.shown.tail.waiting',
      },
      cases: {
        'done readStart': ({ context }) => [lengthOf(context.view) === null ? null : '2026-04-27T12:00:00Z'],
        'done firstPage': [logPage([2, 1], 'c1')],
        'done nextPage': [logPage([1, 0], null)],
        'done beginning': BEGINNINGS,
        'facet.chosen': [
          { facet: 'status', value: 'failed' },
          { facet: 'status', value: null },
        ],
        'period.chosen': [{ period: 'day' }],
        'times.edited': [
          { from: '2026-05-01T00:00:00Z', to: '2026-05-02T00:00:00Z' },
          { from: '2026-05-02T00:00:00Z', to: '2026-05-01T00:00:00Z' },
        ],
        'reference.edited': [{ reference: 'call-7' }],
        'live.switched': [{ isLive: true }, { isLive: false }],
        'route.changed': [
          at({}),
          at({ status: 'failed' }),
          at({ log: uuidOf(1) }),
          at({ log: 'that one' }),
          { route: { screen: 'home' } },
        ],
      },
      merge: true,
      limit: 8000,
      distinguish: ({ context: { view } }) => [view.status, view.log, view.to !== undefined],
      states: {
        'requests.shown': ({ context }) => {
          expect(context.filter).not.toBeNull();
          // Each request is there once.
          expect(new Set(context.rows.map(({ id }: LogEntry) => id)).size).toBe(context.rows.length);
          expect(context.fresh === null || waitingIn(context).count > 0).toBe(true);
        },
        'requests.shown.tail.reading': ({ context }) =>
          expect([context.isLive, context.view.to]).toEqual([true, undefined]),
        'requests.failed': ({ context }) => expect(context.failure).not.toBeNull(),
        'opened.open': ({ context, children }) => {
          expect(context.view.log).toBe(uuidOf(1));
          expect(Object.keys(children)).toContain('details');
        },
        '': ({ children }) => expect(Object.keys(children)).toContain('download'),
      },
    },
    {
      'what is asked for': {
        input: { ...place, view: {} },
        without: ['live.', 'screen.', 'top.', 'fresh.', 'focus.', 'more.', 'log.'],
        cases: { 'done beginning': [], 'route.changed': [at({}), at({ status: 'failed' })] },
      },
      'what is typed': {
        input: { ...place, view: {} },
        without: ['live.', 'screen.', 'top.', 'fresh.', 'focus.', 'more.', 'log.', 'period.', 'route.', 'retry.'],
        cases: { 'failed readStart': [], 'failed firstPage': [] },
        distinguish: ({ context: { view, typed, typedReference, problem } }) => [
          view.status,
          view.reference,
          view.from,
          typed?.from,
          typedReference,
          problem,
        ],
      },
      'one that is open': {
        input: { ...place, view: { log: uuidOf(1), kind: 'neither' } },
        without: [
          'live.',
          'screen.',
          'top.',
          'fresh.',
          'focus.',
          'times.',
          'period.',
          'filters.',
          'facet.',
          'reference.',
        ],
      },
      'page by page': {
        input: { ...place, view: {} },
        without: [
          'live.',
          'screen.',
          'top.',
          'fresh.',
          'times.',
          'period.',
          'filters.',
          'facet.',
          'route.',
          'log.',
          'reference.',
        ],
        distinguish: ({ context: { nextCursor } }) => nextCursor,
      },
      'what is added': {
        input: { ...place, view: {} },
        without: ['times.', 'period.', 'filters.', 'facet.', 'route.', 'focus.', 'log.', 'reference.'],
        // What becomes of pages is walked above.
        cases: {
          'failed readStart': [],
          'failed firstPage': [],
          'failed nextPage': [],
          'done nextPage': [],
        },
        distinguish: ({ context: { isLive, isStale, isAtTop, fresh } }) => [
          isLive && isStale,
          isLive,
          isAtTop,
          fresh?.logs[0]?.id,
        ],
      },
      'what has an end': {
        input: { ...place, view: { to: '2026-05-01T00:00:00Z' } },
        without: ['times.', 'period.', 'route.', 'top.', 'fresh.', 'more.', 'reference.'],
      },
    },
  );
});

describe('PRJ-05: a request of the logs, opened', () => {
  describeWalk(logDetailsMachine, {
    tags: { loading: ['loading'], failed: ['failed'], missing: ['missing'] },
    ignored: { 'Nothing has failed': 'retry.requested in loading, shown, missing' },
    input: { projectUuid: 'p1', id: uuidOf(1), entry: logEntry(1) },
    cases: {
      'done loadLog': [details],
      'failed loadLog': [FAILURE, GONE],
    },
    states: {
      shown: ({ context }) => expect(context).toMatchObject({ details, entry: details, failure: null }),
      failed: ({ context }) => expect([context.entry?.id, context.failure === null]).toEqual([uuidOf(1), false]),
    },
  });
});
