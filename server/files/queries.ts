import type { Insertable } from 'kysely';
import type { Counts, FilePage, StoredFile } from '#contract/files.ts';
import type { Db } from '../db/open.ts';
import type { SpeechTables } from '../db/speech-tables.ts';
import { countsOf, cutPage, type Page } from '../v1/paging.ts';

const COLUMNS = ['id', 'filename', 'size', 'created_at', 'client_reference_id'] as const;

type Row = Omit<StoredFile, 'created_at'> & { created_at: Date };
const toFile = ({ id, filename, size, created_at, client_reference_id }: Row): StoredFile => ({ id, filename, size: Number(size), created_at: created_at.toISOString(), client_reference_id });

export async function addFile(db: Db, file: Insertable<SpeechTables['files']>): Promise<StoredFile> {
  return toFile(await db.insertInto('files').values(file).returning(COLUMNS).executeTakeFirstOrThrow());
}

export async function listFiles(db: Db, projectId: string, page: Page): Promise<FilePage> {
  const found = await db
    .selectFrom('files')
    .select([...COLUMNS, 'position'])
    .where('project_id', '=', projectId)
    .$if(page.before !== null, (query) => query.where('position', '<', page.before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, next_page_cursor } = cutPage(found, page);
  return { files: rows.map(toFile), next_page_cursor };
}

export async function countFiles(db: Db, projectId: string): Promise<Counts> {
  return countsOf(await db.selectFrom('files').select(['origin', (eb) => eb.fn.countAll().as('count')]).where('project_id', '=', projectId).groupBy('origin').execute());
}

export async function findFile(db: Db, projectId: string, id: string): Promise<StoredFile | undefined> {
  const row = await db.selectFrom('files').select(COLUMNS).where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
  return row && toFile(row);
}

/** For a link that was signed: it stands for the right to read this one file. */
export async function findLinkedFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const row = await db.selectFrom('files').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && toFile(row);
}

/** True when there was such a file. */
export async function deleteFile(db: Db, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('files').where('project_id', '=', projectId).where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
