/** The tables of the states of payments and of autopay, and that nothing goes round them. */
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Account } from '#server/money/ledger/accounts.ts';
import {
  CHARGED,
  COUNTED,
  LEFT,
  movePayment,
  ON_PAGE,
  ORDERED,
  PAYMENT_EVENTS,
  PAYMENTS,
  UNASKED,
  WAITING,
  waitingStates,
  WAITS_MS,
} from '#server/money/ledger/life.ts';
import {
  AUTOPAY,
  AUTOPAY_EVENTS,
  autopayState,
  DISPUTED,
  GOING_ON,
  ENDED_BY_METHOD,
  stateOfAutopay,
} from '#server/money/ledger/autopay-life.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { moveAutopay } from '#server/money/payments/stop.ts';
import { accountOf, paymentsOf } from '../books.ts';
import { namersOf, readSources, writersOf } from './life-sources.ts';
import { Paying } from './paying.ts';

const paying = new Paying();
const KINDS = ['payment', 'setup', 'autopay'] as const;
const movesOf = (kind: (typeof KINDS)[number]) =>
  Object.entries(PAYMENTS[kind]).flatMap(([state, moves]) =>
    Object.entries(moves).map(([event, target]) => ({ state, event, target })),
  );

describe('the tables', () => {
  it.each(KINDS)(
    'PAY-16 PAY-23: each waiting state of a %s ends by itself; money always counts, a method unless its setup failed',
    (kind) => {
      const [waiting, paid] = [waitingStates(kind), kind === 'setup' ? 'stored' : 'paid'];
      for (const state of Object.keys(PAYMENTS[kind])) {
        const moves = movesOf(kind).filter((one) => one.state === state);
        expect([state, moves.some(({ event }) => event === 'expired')]).toEqual([
          state,
          waiting.some((one) => one === state),
        ]);
        const isLate = state === 'succeeded' || (kind === 'setup' && state === 'failed');
        expect(moves.find(({ event }) => event === paid)?.target).toBe(isLate ? 'late' : 'succeeded');
      }
      expect(waiting.every((state) => state in WAITS_MS)).toBe(true);
    },
  );

  it('PAY-16: each event moves something', () => {
    const moved = new Set(
      KINDS.flatMap((kind) => movesOf(kind).filter(({ target }) => target !== 'late')).map(({ event }) => event),
    );
    expect([...moved].toSorted()).toEqual(Object.keys(PAYMENT_EVENTS).toSorted());
    const stopped = new Set(Object.values(AUTOPAY).flatMap((moves) => Object.keys(moves)));
    expect([...stopped].toSorted()).toEqual(Object.keys(AUTOPAY_EVENTS).toSorted());
  });

  it('PAY-02: a dispute is left by its end, another method or a reset alone', () => {
    const left = Object.entries(AUTOPAY.disputed).filter(([, target]) => target !== 'late');
    expect(Object.fromEntries(left)).toEqual({ won: 'next', method: 'next', reset: 'idle' });
  });
});

describe('PAY-16: the sets that rules and queries go by', () => {
  it('are read from the tables', () => {
    const all = { WAITING, ON_PAGE, LEFT, UNASKED, ORDERED, COUNTED, CHARGED, GOING_ON, DISPUTED, ENDED_BY_METHOD };
    expect(all).toEqual({
      WAITING: ['due', 'open', 'sent'],
      ON_PAGE: ['open'],
      LEFT: ['canceled'],
      UNASKED: ['due'],
      ORDERED: ['sent'],
      COUNTED: ['succeeded'],
      CHARGED: ['succeeded', 'failed'],
      GOING_ON: ['idle', 'low'],
      DISPUTED: ['disputed'],
      ENDED_BY_METHOD: ['disputed'],
    });
  });

  it('are of the same state of autopay in a query as in a rule', async () => {
    const account = await accountOf(paying.db, paying.ada.organizationId);
    for (const below of [true, false])
      for (const error_message of [null, 'Why.'])
        for (const [error_why, silent] of [
          [null, false],
          ['unknown', false],
          ['unknown', true],
          ['disputed', true],
        ] as const) {
          const { rows } = await sql<{ state: string }>`
            select ${stateOfAutopay} as state
            from (values (${below}::boolean, ${error_message}::text, ${error_why}::text, ${silent}::boolean))
              as accounts (below, error_message, error_why, silent)`.execute(paying.db);
          const row = { ...account, below, error_message, error_why, silent } as Account;
          expect([row, rows[0]?.state]).toEqual([row, autopayState(row)]);
        }
  });
});

describe('PAY-16: a move that is not listed', () => {
  it('is refused, and logged', async () => {
    const { services } = paying.server;
    const error = vi.fn();
    const parts = { ...services, log: { ...services.log, error } as unknown as typeof services.log };
    const { attempt } = await paying.begin(5_000_000);
    await services.db.transaction().execute(async (trx) => {
      expect(await movePayment(trx, parts, attempt, 'asked')).toBeUndefined();
      await moveAutopay(trx, parts, paying.ada.organizationId, 'won');
    });
    expect(error).toHaveBeenCalledTimes(2);
    expect((await paymentsOf(paying.db, paying.ada.organizationId))[0]?.state).toBe('open');
    expect((await accountOf(paying.db, paying.ada.organizationId))?.error_why).toBe(null);
  });
});

describe('PAY-16: nothing goes round the tables', () => {
  const sources = readSources();
  const of = (text: string) => new Map([['one.ts', text]]);
  const OF_AUTOPAY = ['below', 'error_why', 'error_message'];

  it('as one file writes the states of payments', () => {
    expect(writersOf(sources, 'payments', ['state'])).toEqual(['money/ledger/life.ts']);
  });

  it('as two files write the state of autopay, each by the table', () => {
    // An account that is closed goes by no table.
    const closing = 'money/payments/leave.ts';
    expect(writersOf(sources, 'accounts', OF_AUTOPAY)).toEqual([
      'money/ledger/schedule.ts',
      closing,
      'money/payments/stop.ts',
    ]);
    expect(sources.get(closing)).toMatch(/closed_at: now,[^}]*\.\.\.GOES_ON/);
  });

  it.each([
    ["trx.updateTable('payments').set({ state: 'failed', ends_at }).where('id', '=', id);", true],
    ["trx.updateTable('payments as p').set({ url, state });", true],
    ["trx.updateTable('payments').set('state', 'failed');", true],
    ["trx.insertInto('payments').values(row).onConflict((c) => c.column('id').doUpdateSet({ state: 'open' }));", true],
    ["const OVER = { url: null, state: 'failed' };\ntrx.updateTable('payments').set(OVER).execute();", true],
    ["sql`update payments set state = 'failed' where id = ${id}`", true],
    ["sql`update payments p\n  set url = null, state = 'failed'`", true],
    ["sql`update payments set (state, url) = ('failed', null)`", true],
    ['sql`insert into payments (id) values (1) on conflict (id) do update set state = excluded.state`', true],
    ["trx.updateTable('payments').set({ asked_at: now }).where('state', 'in', ORDERED).execute();", false],
    ["trx.insertInto('payments').values({ id, state: FIRST.autopay }).execute();", false],
    ["sql`update payments set check_at = ${now} where state = 'sent' and id = ${id}`", false],
    ["trx.updateTable('jobs').set({ state: 'dead' });", false],
  ])('and %j is one that does: %s', (text, isWriter) => {
    expect(writersOf(of(text), 'payments', ['state'])).toEqual(isWriter ? ['one.ts'] : []);
  });

  it.each([
    ["const GOES_ON = { below: false } as const;\ntrx.updateTable('accounts').set({ closed_at, ...GOES_ON });", true],
    ["trx.updateTable('accounts').set({ error_message: null }).execute();", true],
    ["sql`update accounts set amount_micros = 1, error_why = 'disputed'`", true],
    ["trx.updateTable('accounts').set(NO_METHOD).where('error_why', 'is', null).execute();", false],
    ["sql`update accounts set method_id = null where error_message = ''`", false],
  ])('and %j is one of autopay: %s', (text, isWriter) => {
    expect(writersOf(of(text), 'accounts', OF_AUTOPAY)).toEqual(isWriter ? ['one.ts'] : []);
  });

  const LIVES = ['money/ledger/life.ts', 'money/ledger/autopay-life.ts'];
  it('as rules and queries name no state', () => {
    const money = [...sources].filter(([file]) => /^money\/(billing|ledger|payments)\//.test(file));
    expect(money.length).toBeGreaterThan(40);
    expect(namersOf(new Map(money.filter(([file]) => !LIVES.includes(file))))).toEqual([]);
    // The platform knows nothing of money, and so it names them.
    const waiting = waitingStates('autopay').map((state) => `'${state}'`);
    expect(sources.get('platform/telemetry/known-to-database.ts')).toContain(
      `.where('state', 'in', [${waiting.join(', ')}])`,
    );
  });

  it.each([
    ["sql`select from payments where kind = 'autopay' and state in ('due', 'sent')`", true],
    ["sql`select case when p.state <> 'succeeded' then 1 end`", true],
    ["sql`select from account_holds where why = 'disputed'`", true],
    ["trx.selectFrom('payments').where('payments.state', '=', 'open');", true],
    ["trx.selectFrom('payments').where('state', 'in', ['sent', 'due']);", true],
    ["if (payment?.state === 'due') return;", true],
    ["if (autopayState(account) !== 'disputed' && state !== 'low') return;", true],
    ["values({ id, state: 'open' })", true],
    ["sql`select from payments where state in ${listed(WAITING)} and kind = 'autopay'`", false],
    ["if (event.type === 'disputed') return;", false],
    ["job.state === 'dead'", false],
  ])('and %j is one that does: %s', (text, isNamer) => {
    expect(namersOf(of(text))).toEqual(isNamer ? ['one.ts'] : []);
  });

  it('as indexes are over the states that wait', async () => {
    const { rows } = await sql<{ name: string; definition: string }>`
      select indexname as name, indexdef as definition from pg_indexes where tablename = 'payments' and indexdef like '%state%'`.execute(
      paying.db,
    );
    const states = Object.fromEntries(
      rows.map(({ name, definition }) => [
        name,
        (definition.match(/'(\w+)'::text/g) ?? []).map((one) => one.slice(1, -7)),
      ]),
    );
    expect(new Set(states['payments_autopay_one'])).toEqual(new Set(['autopay', ...waitingStates('autopay')]));
    expect(new Set(states['payments_ends'])).toEqual(new Set(WAITING));
    expect(new Set(states['payments_charged'])).toEqual(new Set(['autopay', ...CHARGED]));
    expect(new Set(states['payments_unended'])).toEqual(new Set(waitingStates('payment')));
  });
});

describe('PAY-16: a page of the test', () => {
  it('that is left ends after a day; and at once as its organization is deleted', async () => {
    const { attempt } = await paying.begin(5_000_000);
    const { services } = paying.server;
    await paying.later(24 * 3_600_000 + 1000, () => reconcile(services, paying.driver));
    expect((await paying.status(attempt)).attempt?.state).toBe('canceled');
    await paying.begin(5_000_000);
    expect((await paying.remove()).status).toBe(204);
  });
});
