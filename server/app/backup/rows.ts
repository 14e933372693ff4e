/** The rows of all tables as lines of JSON, which PostgreSQL writes and reads: on both databases the same. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as joined, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { sql, type Transaction } from 'kysely';
import { OperatorError } from '../../money/limits/operator.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { damaged, tableFile, TABLES_FOLDER, type Content } from './format.ts';
import { hashing, linesIn } from './pieces.ts';
import { countOf, type Say } from './progress.ts';

type Trx = Transaction<Schema>;
type Tables = Pick<Content, 'tables' | 'partitions' | 'sequences'>;
type Table = Content['tables'][number];

/**
 * Running the migrations makes Kysely's own tables; processes that ran then do not run now; that the payment
 * provider is to be asked anew is noted by `target.ts`.
 */
const LEFT_OUT = ['kysely_migration', 'kysely_migration_lock', 'processes', 'provider_looks'];
/** Rows that are read at a time: few where they are large, and never more than so many. */
const ROWS_MAX = 200;
/** What is read, or written, at a time, bytes. */
const BATCH_BYTES = 1 << 20;

/** The tables of the schema that hold rows of their own, with their columns; parts of a table belong to it. */
async function tablesOf(trx: Trx): Promise<Omit<Table, 'rows'>[]> {
  const { rows } = await sql<
    Omit<Table, 'rows'>
  >`select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all (${LEFT_OUT}::text[])
    group by c.relname order by c.relname`.execute(trx);
  return rows;
}

async function partitionsOf(trx: Trx): Promise<Content['partitions']> {
  const { rows } = await sql<Content['partitions'][number]>`select c.relname as name, p.relname as of,
      pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = current_schema()::regnamespace and c.relispartition and c.relkind = 'r' order by c.relname`.execute(
    trx,
  );
  return rows;
}

/** Those that have counted. They do not wait for transactions, so that they are at or beyond what any row shows. */
async function sequencesOf(trx: Trx): Promise<Content['sequences']> {
  const { rows } = await sql<
    Content['sequences'][number]
  >`select sequencename::text as name, last_value as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`.execute(trx);
  return rows;
}

/** Writes all rows as of one moment. @param note told the checksum of each file @param trx repeatable read */
export async function writeRows(
  trx: Trx,
  folder: string,
  { say, note }: { say: Say; note: (name: string, sha256: string) => Promise<void> },
): Promise<Tables> {
  await mkdir(join(folder, TABLES_FOLDER), { mode: 0o700 });
  const tables: Table[] = [];
  for (const { name, columns } of await tablesOf(trx)) {
    const hash = createHash('sha256');
    let rows = 0;
    const lines = async function* (): AsyncGenerator<string> {
      for await (const line of readTable(trx, name)) {
        rows += 1;
        yield `${line}\n`;
      }
    };
    await pipeline(
      Readable.from(lines()),
      createGzip(),
      hashing(hash),
      createWriteStream(join(folder, tableFile(name)), { mode: 0o600, flags: 'wx', flush: true }),
    );
    await note(tableFile(name), hash.digest('hex'));
    tables.push({ name, columns, rows });
    if (rows > 0) say(`Table ${name}: ${countOf(rows, 'row')}`);
  }
  return { tables, partitions: await partitionsOf(trx), sequences: await sequencesOf(trx) };
}

async function* readTable(trx: Trx, name: string): AsyncGenerator<string> {
  await sql`declare rows_of_backup no scroll cursor for select to_jsonb(row)::text as line from ${sql.table(name)} as row`.execute(
    trx,
  );
  for (let count = 1; ;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(count)} from rows_of_backup`.execute(trx);
    let length = 0;
    for (const { line } of rows) {
      length += line.length;
      yield line;
    }
    if (rows.length < count) break;
    // What comes is likely as large as what came.
    count = Math.max(1, Math.min(ROWS_MAX, 2 * count, Math.floor((BATCH_BYTES * count) / length)));
  }
  await sql`close rows_of_backup`.execute(trx);
}

/**
 * Puts all rows into tables that the same migrations have made, in place of what is there: all of them or, with the transaction, none.
 * @throws OperatorError where the tables are other ones, or a file does not hold what the manifest says
 */
export async function loadRows(
  trx: Trx,
  folder: string,
  { tables, partitions, sequences }: Tables,
  say: Say,
): Promise<void> {
  const there = await tablesOf(trx);
  const shape = (all: readonly Pick<Table, 'name' | 'columns'>[]): string =>
    JSON.stringify(all.map(({ name, columns }) => [name, columns]));
  if (shape(there) !== shape(tables))
    throw new OperatorError('The tables of the backup are not those that this version makes. Nothing was changed.');
  // To prove a foreign key of a large table takes as long as it takes.
  await sql`set local statement_timeout = 0`.execute(trx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
  const names = sql.join(there.map(({ name }) => sql.table(name)));
  // Some rows can't be removed, and rows that come have had the consequences that triggers draw.
  for (const { name } of there) await sql`alter table ${sql.table(name)} disable trigger user`.execute(trx);
  await sql`truncate ${names}`.execute(trx);
  const known = new Set((await partitionsOf(trx)).map(({ name }) => name));
  for (const { name, of, bound } of partitions)
    if (!known.has(name))
      await sql`create table ${sql.table(name)} partition of ${sql.table(of)} ${sql.raw(bound)}`.execute(trx);
  // Rows come in any order.
  const keys = await foreignKeys(trx);
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(trx);
  for (const table of tables) {
    const rows = await loadTable(trx, folder, table);
    if (rows !== table.rows) throw damaged(join(folder, tableFile(table.name)));
    if (rows > 0) say(`Table ${table.name}: ${countOf(rows, 'row')}`);
  }
  for (const { name } of there) await sql`alter table ${sql.table(name)} enable trigger user`.execute(trx);
  // Each is proved as it is put back.
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(trx);
  for (const { name, value } of sequences)
    await sql`select setval(${sql.lit(name)}::regclass, ${value}::bigint)`.execute(trx);
}

async function foreignKeys(trx: Trx): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await sql<{
    table: string;
    name: string;
    definition: string;
  }>`select c.relname as table, k.conname as name,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = current_schema()::regnamespace`.execute(trx);
  return rows;
}

async function loadTable(trx: Trx, folder: string, { name, columns }: Table): Promise<number> {
  const into = sql.join(columns.map((column) => sql.ref(column)));
  let [rows, length] = [0, 0];
  let batch: string[] = [];
  const put = async (): Promise<void> => {
    if (batch.length === 0) return;
    await sql`insert into ${sql.table(name)} (${into}) overriding system value
      select ${into} from jsonb_populate_recordset(null::${sql.table(name)}, ${`[${batch.join(',')}]`}::jsonb)`.execute(
      trx,
    );
    [batch, length] = [[], 0];
  };
  // What breaks it is thrown where it is read.
  const unpacked = joined(createReadStream(join(folder, tableFile(name))), createGunzip(), () => undefined);
  for await (const line of linesIn(unpacked)) {
    batch.push(line);
    rows += 1;
    length += line.length;
    if (length >= BATCH_BYTES) await put();
  }
  await put();
  return rows;
}
