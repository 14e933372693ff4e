import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleEvent } from '#contract/events.ts';
import type { Database } from '#server/platform/db/database.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { EVENTS_CHANNEL, Notice } from '#server/tenancy/events/notices.ts';
import { openBorrowedDatabase } from '../databases.ts';

let database: Database;
beforeAll(async () => {
  database = await openBorrowedDatabase();
});
afterAll(() => database.close());

it('every migration of the folder is in the list, in order', () => {
  const files = readdirSync('server/platform/db/migrations').toSorted();
  expect(Object.keys(migrations).map((name) => `${name}.ts`)).toEqual(files);
});

/** What happens to rows that refer to one that is deleted, as pg_constraint has it. */
const CASCADE = 'c';
const SET_NULL = 'n';

describe('a key to', () => {
  it.each([
    [
      'users',
      [CASCADE, SET_NULL],
      'An account can be deleted: the key says `on delete cascade`, or `set null` where the row stays.',
    ],
    ['projects', [CASCADE], 'A project can be deleted: the key says `on delete cascade`.'],
    ['organizations', [CASCADE], 'An organization can be deleted: the key says `on delete cascade`.'],
  ])('PPL-01: %s says what its deletion does', async (table, allowed, rule) => {
    const { rows } = await sql<{ key: string; deletion: string }>`
      select conrelid::regclass || '.' || conname as key, confdeltype as deletion from pg_constraint
      where contype = 'f' and conparentid = 0 and confrelid = ${table}::regclass`.execute(database.db);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ deletion }) => !allowed.includes(deletion)).map(({ key }) => `${key}: ${rule}`)).toEqual([]);
  });
});

describe('CON-05: an event of the contract', () => {
  const typesOf = ({ options }: typeof ConsoleEvent | typeof Notice): string[] =>
    options.flatMap(({ entries: { type } }) => ('literal' in type ? [type.literal] : [...type.options]));
  /** Those that the hub makes itself, or of another notice. */
  const MADE = ['resync', 'members.changed'];
  const told = typesOf(ConsoleEvent).filter((type) => !MADE.includes(type));

  it.each(told)('%s is told by a trigger, and has its shape among the notices', async (type) => {
    expect(typesOf(Notice), `server/tenancy/events/notices.ts lacks '${type}'`).toContain(type);
    const { rows } = await sql<{ told: string | null }>`
      select string_agg(prosrc, ' ') as told from pg_proc where prosrc like '%tell_pages(%'`.execute(database.db);
    expect(rows[0]?.told?.includes(`'${type}'`), `no trigger of the migrations tells '${type}' by tell_pages`).toBe(
      true,
    );
  });

  it('names the page that made the change, because only tell_pages sends on the channel', async () => {
    const { rows } = await sql<{ name: string }>`
      select proname as name from pg_proc where prosrc like ${`%${EVENTS_CHANNEL}%`}`.execute(database.db);
    expect(rows.map(({ name }) => name)).toEqual(['tell_pages']);
  });
});
