/** Writes and loads the rows of all tables as lines of JSON. PostgreSQL converts them, so both databases agree. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as joined, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { sql, type Transaction } from 'kysely';
import { OperatorError } from '../operator-error.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { damaged, tableFile, TABLES_FOLDER, type Content } from './format.ts';
import { hashing, linesIn } from './pieces.ts';
import { countOf, type Say } from './progress.ts';

type Trx = Transaction<Schema>;
type Tables = Pick<Content, 'tables' | 'partitions' | 'sequences'>;
type Table = Content['tables'][number];

/**
 * Tables that a backup leaves out. Migrations fill Kysely's own; the processes of then no longer run; `target.ts`
 * writes when to ask the payment provider.
 */
const LEFT_OUT = ['kysely_migration', 'kysely_migration_lock', 'processes', 'provider_looks'];
/** The largest number of rows of one read; fewer are read if they are large. */
const ROWS_MAX = 200;
/** Size of one read or write, bytes. */
const BATCH_BYTES = 1 << 20;

/** The schema's tables with their columns. A partition belongs to its table. */
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

/** Sequences in use. They count outside of transactions, so each is at least at the highest number in a row. */
async function sequencesOf(trx: Trx): Promise<Content['sequences']> {
  const { rows } = await sql<
    Content['sequences'][number]
  >`select sequencename::text as name, last_value as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`.execute(trx);
  return rows;
}

/** Writes the rows of all tables. @param trx must be repeatable read @param note gets the checksum of each file */
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
    // The next rows are probably as large as these.
    count = Math.max(1, Math.min(ROWS_MAX, 2 * count, Math.floor((BATCH_BYTES * count) / length)));
  }
  await sql`close rows_of_backup`.execute(trx);
}

/**
 * Replaces the rows of all tables, which the backup's migrations must have made.
 * @throws OperatorError if the tables differ, or a file does not have as many rows as the manifest says
 */
export async function loadRows(
  trx: Trx,
  folder: string,
  { tables, partitions, sequences }: Tables,
  say: Say,
): Promise<void> {
  const found = await tablesOf(trx);
  const shape = (all: readonly Pick<Table, 'name' | 'columns'>[]): string =>
    JSON.stringify(all.map(({ name, columns }) => [name, columns]));
  if (shape(found) !== shape(tables))
    throw new OperatorError('The backup has other tables than this version makes. Nothing was changed.');
  // Checking a foreign key of a large table may take long.
  await sql`set local statement_timeout = 0`.execute(trx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
  const names = sql.join(found.map(({ name }) => sql.table(name)));
  // Some triggers refuse to remove rows, and the others have already run for the rows of the backup.
  for (const { name } of found) await sql`alter table ${sql.table(name)} disable trigger user`.execute(trx);
  await sql`truncate ${names}`.execute(trx);
  const known = new Set((await partitionsOf(trx)).map(({ name }) => name));
  for (const { name, of, bound } of partitions)
    if (!known.has(name))
      await sql`create table ${sql.table(name)} partition of ${sql.table(of)} ${sql.raw(bound)}`.execute(trx);
  // Tables are loaded in any order, so foreign keys are dropped meanwhile.
  const keys = await foreignKeys(trx);
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(trx);
  for (const table of tables) {
    const rows = await loadTable(trx, folder, table);
    if (rows !== table.rows) throw damaged(join(folder, tableFile(table.name)));
    if (rows > 0) say(`Table ${table.name}: ${countOf(rows, 'row')}`);
  }
  for (const { name } of found) await sql`alter table ${sql.table(name)} enable trigger user`.execute(trx);
  // Adding a foreign key checks it.
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
  // Reading the lines throws the pipeline's error.
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
