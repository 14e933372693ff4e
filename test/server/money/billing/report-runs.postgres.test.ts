/** How many reports a person has at a time, over all processes. */
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { beginReport, callAtEnd } from '#server/money/billing/runs.ts';
import { xlsxStream } from '#server/money/billing/xlsx.ts';
import { eventually } from '../../eventually.ts';
import { outcomeOf } from '../../people.ts';
import { deferred } from '../../speech-api/live/live-harness.ts';
import { Served } from '../served.ts';

const served = new Served();
const { call } = served;
const DAY = { start_date: '2026-05-04', end_date: '2026-05-04' };
const PATHS = ['reports/', 'reports/xlsx/', 'cost/', 'cost/xlsx/'].map((path) => `billing/${path}`);
const running = () =>
  sql<{ left: number }>`select extract(epoch from lease_until - clock_timestamp())::int as left from report_runs
    where user_id = ${served.ada.userId}`.execute(served.db);
const none = async (): Promise<void> => expect((await running()).rows).toEqual([]);
/** As a process does. */
const begin = (userId = served.ada.userId) => beginReport(served.server.services, userId);

afterEach(() => vi.useRealTimers());

describe('RPT-04: at most two reports of a person are made at a time', () => {
  it('however many processes begin at once; another person has places of their own', async () => {
    const begun = await Promise.allSettled(Array.from({ length: 8 }, () => begin()));
    const ends = begun.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(ends).toHaveLength(2);
    const refusals = begun.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ kind: 'limit', type: 'too_many_reports' })));
    const eve = await served.server.createUser();
    await (
      await begin(eve.userId)
    )();
    for (const end of ends) await end();
    await none();
  });

  it('others are refused with a time to come back, until one has ended', async () => {
    const [end, endOther] = [await begin(), await begin()];
    const answers = await Promise.all(PATHS.map((path) => call('POST', path, DAY)));
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(PATHS.map(() => '5'));
    expect(await Promise.all(answers.map(outcomeOf))).toEqual(PATHS.map(() => '429 too_many_reports'));
    await end();
    for (const path of PATHS) {
      const answer = await call('POST', path, DAY);
      expect(answer.status).toBe(200);
      // Its place is free before its last byte is sent.
      await answer.arrayBuffer();
      expect((await running()).rows).toHaveLength(1);
    }
    await endOther();
  });

  it('one waits for a moment, as for those that somebody has left behind; not where its own client leaves', async () => {
    const ends = [await begin(), await begin()];
    const waiting = call('POST', PATHS[0]!, DAY);
    const leaving = new AbortController();
    const left = beginReport(served.server.services, served.ada.userId, leaving.signal);
    leaving.abort();
    await expect(left).rejects.toThrow('Two of your reports');
    for (const end of ends) await end();
    expect((await waiting).status).toBe(200);
    await none();
  });

  it('one that is refused, or fails, has no place', async () => {
    expect((await call('POST', PATHS[0]!, { ...DAY, end_date: 'never' })).status).toBe(400);
    const { schema } = served.db;
    await schema.alterTable('usage_daily').renameTo('usage_away').execute();
    try {
      for (const path of PATHS) expect([path, (await call('POST', path, DAY)).status]).toEqual([path, 500]);
    } finally {
      await schema.alterTable('usage_away').renameTo('usage_daily').execute();
    }
    await none();
  });

  it('one whose file nobody takes any more has no place', async () => {
    const end = await begin();
    async function* endless() {
      for (;;) {
        yield [['row']];
        await setImmediate();
        void reader.cancel();
      }
    }
    const sheet = {
      name: 'Endless',
      columns: [],
      foot: () => [],
      pages: callAtEnd(endless(), end, new AbortController().signal),
    };
    const reader: ReadableStreamDefaultReader = xlsxStream(sheet, () => expect.unreachable()).getReader();
    while (!(await reader.read()).done);
    await eventually(none);
  });

  it('one whose client has left has its place until what is read for it has come; one that nobody began to take has none', async () => {
    const [end, endOther] = [await begin(), await begin()];
    const [reading, left] = [deferred(), new AbortController()];
    async function* slow() {
      await reading.promise;
      yield 1;
      yield 2;
    }
    const pages = callAtEnd(slow(), end, left.signal);
    callAtEnd(slow(), endOther, left.signal);
    const first = pages.next();
    left.abort();
    await eventually(async () => expect((await running()).rows).toHaveLength(1));
    const beginNow = () => beginReport(served.server.services, served.ada.userId, left.signal);
    const endThird = await beginNow();
    await expect(beginNow()).rejects.toThrow('Two of your reports');
    reading.resolve();
    expect([await first, await pages.next()]).toMatchObject([{ value: 1 }, { done: true }]);
    await endThird();
    await none();
  });

  it('a process that works on keeps its place; one that has died loses it, by the clock of the database', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const [end, endOther] = [await begin(), await begin()];
    const leave = (seconds: number) =>
      sql`update report_runs set lease_until = clock_timestamp() + ${seconds} * interval '1 second'`.execute(served.db);
    await leave(5);
    vi.advanceTimersByTime(10_000);
    await eventually(async () => expect((await running()).rows.every(({ left }) => left > 25)).toBe(true));
    await expect(begin()).rejects.toThrow('Two of your reports');
    // Nobody renews these, or a clock that was wrong gave them.
    for (const seconds of [-1, 3600]) {
      await leave(seconds);
      const later = [await begin(), await begin()];
      // Whoever comes to an end after all takes nothing from others.
      await end();
      await endOther();
      expect((await running()).rows).toHaveLength(2);
      for (const one of later) await one();
      await none();
      if (seconds < 0) for (let n = 0; n < 2; n += 1) await begin();
    }
  });
});
