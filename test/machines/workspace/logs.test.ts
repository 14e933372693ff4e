import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import {
  changed,
  countSet,
  filterOf,
  isBadAddress,
  lengthOf,
  validView,
  timesProblem,
} from '#machines/workspace/logs/filter.ts';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import type { LogsView } from '#machines/shared/route.ts';
import { addressOf } from '#src/locations.ts';
import { logEntry, logPage } from '../logged.ts';
import { underParent } from '../playground-fixtures.ts';

const FROM = '2026-05-01T00:00:00.000Z';
const TO = '2026-05-02T00:00:00.000Z';

describe('PRJ-05: what an address of the logs asks for', () => {
  it('leaves out what there is not, says so, and keeps the rest', () => {
    const view = { status: 'failed', kind: 'neither', from: TO, to: FROM, log: 'that one' };
    expect([validView(view), isBadAddress(view)]).toEqual([{ status: 'failed' }, true]);
    expect(isBadAddress({ status: 'failed', from: FROM, to: TO })).toBe(false);
    // What no request can have is not asked for.
    const odd = { model: '\0', reference: 'x'.repeat(10_000), error: 'a\0', key: '\ufffd', to: '\0' };
    expect([validView(odd), isBadAddress(odd)]).toEqual([{}, true]);
    expect(timesProblem({ from: TO, to: FROM })).toBe('The end must be after the start.');
  });

  it('asks from a beginning that moves only where no times are set', () => {
    expect([lengthOf({}), lengthOf({ period: 'hour' }), lengthOf({ period: 'all' }), lengthOf({ to: TO })]).toEqual([
      7 * 86_400_000,
      3_600_000,
      null,
      null,
    ]);
    expect(filterOf({ status: 'failed', period: 'day' }, FROM)).toEqual({ status: 'failed', from: FROM });
    expect(filterOf({ from: FROM, to: TO, period: 'day' }, null)).toEqual({ from: FROM, to: TO });
  });

  it('CON-33: takes times that are typed once they are others, and counts what is set', () => {
    const actor = createActor(logsMachine, {
      input: { orgUuid: 'o', projectUuid: 'p', view: { from: FROM, status: 'failed' } },
    }).start();
    const can = (from: string | null, to: string | null) => {
      actor.send({ type: 'times.edited', from, to });
      return actor.getSnapshot().can({ type: 'filters.submitted' });
    };
    expect([can(FROM, null), can(TO, null), can(FROM, TO), can(null, null)]).toEqual([false, true, true, false]);
    actor.send({ type: 'times.edited', from: FROM, to: TO });
    actor.send({ type: 'filters.closed' });
    expect(actor.getSnapshot().context).toMatchObject({ typed: null, view: { from: FROM, status: 'failed' } });
    expect([{}, { period: 'week' }, { period: 'day' }, { from: FROM, status: 'failed' }].map(countSet)).toEqual([
      0, 0, 1, 2,
    ]);
  });

  describe('CON-33: a typed client reference ID', () => {
    const typing = () => {
      const { child: actor, told } = underParent(logsMachine, {
        orgUuid: 'o',
        projectUuid: 'p',
        view: { status: 'failed' },
      });
      actor.send({ type: 'reference.edited', reference: ' call-7 ' });
      return { actor, told, view: () => actor.getSnapshot().context.view };
    };

    it.each([
      [{ type: 'filters.submitted' }, { status: 'failed', reference: 'call-7' }],
      [{ type: 'filters.closed' }, { status: 'failed', reference: 'call-7' }],
      [
        { type: 'facet.chosen', facet: 'status', value: 'refused' },
        { status: 'refused', reference: 'call-7' },
      ],
      [
        { type: 'period.chosen', period: 'day' },
        { status: 'failed', period: 'day', reference: 'call-7' },
      ],
      [{ type: 'filters.cleared' }, {}],
    ] as const)('is applied, once, by %j, unless all are cleared', (event, view) => {
      const { actor, told, view: shown } = typing();
      actor.send(event);
      expect([shown(), actor.getSnapshot().context.typedReference]).toEqual([view, null]);
      expect(told).toEqual([
        { type: 'navigate.requested', to: { screen: 'logs', orgUuid: 'o', projectUuid: 'p', ...view } },
      ]);
    });

    it('stays as typed when the fields of the times close, which forgets typed times', () => {
      const { actor, told } = typing();
      actor.send({ type: 'times.edited', from: FROM, to: TO });
      actor.send({ type: 'times.closed' });
      expect(actor.getSnapshot().context).toMatchObject({ typed: null, typedReference: ' call-7 ' });
      expect(told).toEqual([]);
    });

    it('goes with typed times: right ones with any other filter, wrong ones stay to be corrected', () => {
      const { actor, view } = typing();
      actor.send({ type: 'times.edited', from: TO, to: FROM });
      actor.send({ type: 'filters.submitted' });
      expect([view(), actor.getSnapshot().context.problem]).toEqual([
        { status: 'failed' },
        'The end must be after the start.',
      ]);
      actor.send({ type: 'facet.chosen', facet: 'kind', value: 'async' });
      expect(view()).toEqual({ status: 'failed', kind: 'async', reference: 'call-7' });
      expect(actor.getSnapshot().context.typed).toEqual({ from: TO, to: FROM });
      actor.send({ type: 'times.edited', from: FROM, to: TO });
      actor.send({ type: 'facet.chosen', facet: 'kind', value: null });
      expect(view()).toEqual({ status: 'failed', reference: 'call-7', from: FROM, to: TO });
    });
  });

  it('is written back without what is usual', () => {
    const view = changed({ period: 'day', status: 'failed', kind: 'neither' }, { period: 'week', error: 'x' });
    expect(addressOf({ screen: 'logs', orgUuid: 'o', projectUuid: 'p', ...view })).toEqual({
      to: '/org/o/projects/p/api/logs/',
      search: { status: 'failed', error: 'x' },
    });
  });
});

describe('LOG-08: what the list and an opened request have to do with each other', () => {
  const open = async (pages = [logPage([], null)]) => {
    const read: string[] = [];
    const actor = createActor(
      logsMachine.provide({
        actors: {
          readStart: fromPromise<string | null, { lengthMs: number | null }>(() => Promise.resolve(FROM)),
          loadLogs: fromPromise(() => {
            const page = pages[read.length] ?? logPage([], null);
            read.push('list');
            return Promise.resolve(page);
          }),
        },
      }),
      { input: { orgUuid: 'o', projectUuid: 'p', view: {} } },
    ).start();
    await waitFor(actor, (snapshot) => snapshot.hasTag('shown'));
    const goTo = (view: LogsView) =>
      actor.send({ type: 'route.changed', route: { screen: 'logs', orgUuid: 'o', projectUuid: 'p', ...view } });
    return { actor, read, goTo };
  };
  const LOG = '00000000-0000-4000-8000-000000000001';

  it('opening and closing one leaves the list as it is, and reads nothing of it again', async () => {
    const { actor, read, goTo } = await open();
    goTo({ log: LOG });
    expect(actor.getSnapshot().hasTag('opened')).toBe(true);
    expect(actor.getSnapshot().hasTag('shown')).toBe(true);
    goTo({});
    expect(actor.getSnapshot().hasTag('opened')).toBe(false);
    expect(actor.getSnapshot().hasTag('shown')).toBe(true);
    expect(read).toEqual(['list']);
  });

  it('CON-33: opening and closing one leaves what is typed, and another filter does not', async () => {
    const { actor, goTo } = await open();
    const typed = () => {
      const { typed: times, typedReference, problem } = actor.getSnapshot().context;
      return { times, typedReference, problem };
    };
    actor.send({ type: 'reference.edited', reference: 'call-7' });
    actor.send({ type: 'times.edited', from: TO, to: FROM });
    actor.send({ type: 'filters.submitted' });
    const all = {
      times: { from: TO, to: FROM },
      typedReference: 'call-7',
      problem: 'The end must be after the start.',
    };
    goTo({ log: LOG });
    expect([actor.getSnapshot().context.view, typed()]).toEqual([{ log: LOG }, all]);
    goTo({});
    expect([actor.getSnapshot().context.view, typed()]).toEqual([{}, all]);
    goTo({ log: LOG, status: 'failed' });
    expect(typed()).toEqual({ times: null, typedReference: null, problem: null });
  });

  it('another filter leaves what is open as it is', async () => {
    const { actor, goTo } = await open();
    goTo({ log: LOG });
    const { details } = actor.getSnapshot().children;
    goTo({ log: LOG, status: 'failed' });
    expect(actor.getSnapshot().hasTag('loading')).toBe(true);
    expect(actor.getSnapshot().children.details).toBe(details);
  });

  it('CON-37: an address that asks for what there is not is replaced, and a notice stays until something is chosen', async () => {
    const input = { orgUuid: 'o', projectUuid: 'p', view: { status: 'failed', kind: 'neither', log: 'that one' } };
    const machine = logsMachine.provide({
      actors: {
        readStart: fromPromise<string | null, { lengthMs: number | null }>(() => Promise.resolve(FROM)),
        loadLogs: fromPromise(() => Promise.resolve(logPage([], null))),
      },
    });
    const { child: actor, told } = underParent(machine, input);
    await waitFor(actor, (snapshot) => snapshot.hasTag('shown'));
    const to = { screen: 'logs', orgUuid: 'o', projectUuid: 'p', status: 'failed' } as const;
    expect([actor.getSnapshot().context.isBad, told]).toEqual([
      true,
      [{ type: 'navigate.requested', to, replace: true }],
    ]);
    actor.send({ type: 'route.changed', route: to });
    expect([actor.getSnapshot().hasTag('shown'), actor.getSnapshot().context.isBad]).toEqual([true, true]);
    actor.send({ type: 'facet.chosen', facet: 'kind', value: 'async' });
    expect(actor.getSnapshot().context.isBad).toBe(false);
  });

  it('LOG-11: shows further refusals that a row counts, where nothing is new', async () => {
    const counted = (requests: number) => ({
      ...logPage([], null),
      logs: [
        {
          ...logEntry(9),
          status: 'refused' as const,
          refusal: { code: 400, message: 'No.', requests, several_models: false, several_references: false },
        },
        logEntry(8),
      ],
    });
    const { actor } = await open([counted(1), counted(7)]);
    actor.send({ type: 'live.switched', isLive: true });
    await waitFor(actor, ({ context }) => context.rows[0]?.refusal?.requests === 7);
    expect(actor.getSnapshot().context.rows.map(({ id }) => id)).toEqual([logEntry(9).id, logEntry(8).id]);
  });

  it('shows more than a page of first requests with the way to the next page', async () => {
    const { actor } = await open([logPage([], null), logPage([9, 8], 'next')]);
    expect(actor.getSnapshot().can({ type: 'more.requested' })).toBe(false);
    actor.send({ type: 'live.switched', isLive: true });
    await waitFor(actor, ({ context }) => context.rows.length === 2);
    expect(actor.getSnapshot().can({ type: 'more.requested' })).toBe(true);
  });
});
