/** The tables of the states of payments and of autopay, and that nothing goes round them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import {
  AUTOPAY,
  AUTOPAY_EVENTS,
  move,
  PAYMENT_EVENTS,
  PAYMENTS,
  waitingStates,
  WAITS_MS,
} from '#server/money/ledger/life.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { moveAutopay } from '#server/money/payments/stop.ts';
import { accountOf, paymentsOf } from '../books.ts';
import { Paying } from './paying.ts';

const paying = new Paying();
const KINDS = ['payment', 'setup', 'autopay'] as const;
const movesOf = (kind: (typeof KINDS)[number]) =>
  Object.entries(PAYMENTS[kind]).flatMap(([state, moves]) =>
    Object.entries(moves).map(([event, target]) => ({ state, event, target })),
  );

describe('the tables', () => {
  it.each(KINDS)(
    'PAY-16: each state of a %s that waits ends by itself, and money counts whatever has become of it',
    (kind) => {
      const [waiting, paid] = [waitingStates(kind), kind === 'setup' ? 'stored' : 'paid'];
      for (const state of Object.keys(PAYMENTS[kind])) {
        const moves = movesOf(kind).filter((one) => one.state === state);
        expect([state, moves.some(({ event }) => event === 'expired')]).toEqual([
          state,
          waiting.some((one) => one === state),
        ]);
        expect(moves.find(({ event }) => event === paid)?.target).toBe(state === 'succeeded' ? 'late' : 'succeeded');
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

describe('PAY-16: a move that is not listed', () => {
  it('is refused, and logged', async () => {
    const { services } = paying.server;
    const error = vi.fn();
    const parts = { ...services, log: { ...services.log, error } as unknown as typeof services.log };
    const { attempt } = await paying.begin(5_000_000);
    await services.db.transaction().execute(async (trx) => {
      expect(await move(trx, parts, attempt, 'asked')).toBeUndefined();
      await moveAutopay(trx, parts, paying.ada.organizationId, 'won');
    });
    expect(error).toHaveBeenCalledTimes(2);
    expect((await paymentsOf(paying.db, paying.ada.organizationId))[0]?.state).toBe('open');
    expect((await accountOf(paying.db, paying.ada.organizationId))?.error_why).toBe(null);
  });
});

describe('PAY-16: nothing goes round the tables', () => {
  it('as one file writes the states of payments', () => {
    const root = join(import.meta.dirname, '../../../../server');
    const writers = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('migrations'))
      .filter((file) => /updateTable\('payments'\)[^;]*?\bstate:/s.test(readFileSync(join(root, file), 'utf8')));
    expect(writers).toEqual(['money/ledger/life.ts']);
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
    expect(new Set(states['payments_ends'])).toEqual(new Set(KINDS.flatMap(waitingStates)));
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
