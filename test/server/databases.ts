/**
 * Open databases for test servers: embedded ones, and PostgreSQL's where the tests run on that (see `test/postgres`). Making one
 * takes up to a second, emptying one a moment: so a closed server's goes to the next of the same process.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { pgliteDialect } from '#server/platform/db/dialect.ts';
import { DATABASE_FOLDER } from '#server/platform/data-dir.ts';
import type { Database } from '#server/platform/db/database.ts';
import { PgliteHost } from '#server/platform/db/pglite.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { queryWatch } from '#server/platform/db/watched.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { CLUSTER_VARIABLE, query, TEMPLATE } from '../postgres/cluster.ts';
import { freshDataDir } from './template.ts';

export interface BorrowedDatabase {
  /** Opens it for one server; closing leaves what is in it, so that the next one can be opened on that. */
  open(): Database;
  /** Empties it. Nothing of it may be open any more. */
  giveBack(): Promise<void>;
}

/** The database that this test file runs on; a project of vitest's settings names it. */
export const databaseKind: Database['kind'] = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'embedded';

/** One that can be opened again and again, by one server at a time. */
interface Store {
  connect(closing: () => Promise<void>): Database;
  /** One statement of the tests' own. */
  query(statement: string): Promise<unknown>;
}

const free: Store[] = [];

/** A migrated, empty database that others may have used before. */
export async function borrowDatabase(): Promise<BorrowedDatabase> {
  const store = await take();
  return {
    open: () => store.connect(async () => {}),
    giveBack: () => giveBack(store),
  };
}

/** The same for a single server: closing gives it back. */
export async function openBorrowedDatabase(): Promise<Database> {
  const store = await take();
  return store.connect(() => giveBack(store));
}

/** A database without tables, and the way to close it. */
export async function openBareDatabase(): Promise<{ db: Kysely<Schema>; close: () => Promise<void> }> {
  if (databaseKind === 'postgres') return openPostgres({ databaseUrl: await createPostgres('template0') });
  const host = await PgliteHost.open(undefined);
  return { db: new Kysely<Schema>({ dialect: pgliteDialect(host) }), close: () => host.close() };
}

/** Settings of a server that shall open a fresh, migrated database by itself. Remove its `DATA_DIR` when done. */
export async function freshSettings(): Promise<{ DATA_DIR: string; DATABASE_URL?: string; SECRET_KEY?: string }> {
  const DATA_DIR = await freshDataDir();
  if (databaseKind === 'embedded') return { DATA_DIR };
  await rm(join(DATA_DIR, DATABASE_FOLDER), { recursive: true });
  return { DATA_DIR, DATABASE_URL: await createPostgres(), SECRET_KEY: randomUUID() };
}

const take = async (): Promise<Store> =>
  free.pop() ??
  (databaseKind === 'postgres'
    ? postgresStore(await createPostgres())
    : embeddedStore(await PgliteHost.open(join(await freshDataDir(), DATABASE_FOLDER))));

function embeddedStore(host: PgliteHost): Store {
  return {
    query: (statement) => host.query(statement, []),
    connect(closing) {
      const stops: (() => void)[] = [];
      let closed: Promise<void> | undefined;
      const asked: PgliteHost['query'] = async (text, parameters) => {
        if (closed !== undefined) throw new Error('The database has been closed.');
        return host.query(text, parameters);
      };
      const { watch, log } = queryWatch();
      const db = new Kysely<Schema>({ dialect: pgliteDialect({ query: asked, close: async () => {} }), log });
      return {
        kind: 'embedded',
        db,
        reports: db,
        patient: db,
        watch,
        load: () => [{ pool: 'queries', connections: 1, idle: 1, waiting: host.waiting }],
        async listen(channel, callback) {
          const stop = await host.listen(channel, callback);
          stops.push(stop);
          return stop;
        },
        close: () =>
          (closed ??= (async () => {
            for (const stop of stops) stop();
            // A transaction that was going on ends with its server.
            await host.query('rollback', []);
            await closing();
          })()),
      };
    },
  };
}

function postgresStore(url: string): Store {
  return {
    query: (statement) => query(url, statement),
    connect(closing) {
      const database = openPostgres({ databaseUrl: url });
      let closed: Promise<void> | undefined;
      return { ...database, close: () => (closed ??= database.close().then(closing)) };
    },
  };
}

/** Makes a database of PostgreSQL, migrated unless another template is named; gives the address. */
export async function createPostgres(template = TEMPLATE): Promise<string> {
  const cluster = process.env[CLUSTER_VARIABLE];
  if (cluster === undefined) throw new Error('The cluster of the tests is not running.');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(`${cluster}postgres`, `create database ${name} template ${template}`);
  return cluster + name;
}

/** Leaves no rows, and identities that count from 1. */
async function giveBack(store: Store): Promise<void> {
  // Some rows can't be removed.
  await store.query(`do $$ begin perform set_config('session_replication_role', 'replica', true); execute (
    select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity'
    from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
  ); end $$`);
  free.push(store);
}
