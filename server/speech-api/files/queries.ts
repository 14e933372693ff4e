import type { Insertable } from 'kysely';
import type { FilePage, StoredFile } from '#contract/files.ts';
import type { Db } from '../../platform/db/database.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { limitReached } from '../../http/errors.ts';
import type { RestLimits } from '../limits.ts';
import { cutPage, type Page } from '../../http/paging.ts';
import { lockProject } from '../project.ts';

const COLUMNS = ['id', 'filename', 'size', 'created_at', 'client_reference_id'] as const;

type Row = Omit<StoredFile, 'created_at'> & { created_at: Date };
const toFile = ({ id, filename, size, created_at, client_reference_id }: Row): StoredFile => ({
  id,
  filename,
  size: Number(size),
  created_at: created_at.toISOString(),
  client_reference_id,
});

/** What a project keeps: how many files, and their bytes together. */
async function stock(db: Db, projectId: string): Promise<{ files: number; bytes: number }> {
  const row = await db
    .selectFrom('files')
    .select((eb) => [eb.fn.countAll().as('files'), eb.fn.sum('size').as('bytes')])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return { files: Number(row.files), bytes: Number(row.bytes ?? 0) };
}

/** @param more bytes that are to be added in one more file @throws ApiProblem 429 limit_exceeded */
export async function checkRoom(
  db: Db,
  projectId: string,
  more: number,
  { files, storedBytes }: RestLimits,
): Promise<void> {
  const kept = await stock(db, projectId);
  if (kept.files >= files)
    throw limitReached(`This project keeps ${files} files, the most there can be. Delete some of them.`);
  if (kept.bytes + more > storedBytes)
    throw limitReached(`The files of this project may have ${storedBytes} bytes together. Delete some of them.`);
}

/** @throws ApiProblem 429 limit_exceeded */
export async function addFile(
  db: Db,
  file: Insertable<SpeechTables['files']>,
  limits: RestLimits,
): Promise<StoredFile> {
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, file.project_id);
    await checkRoom(trx, file.project_id, file.size, limits);
    return toFile(await trx.insertInto('files').values(file).returning(COLUMNS).executeTakeFirstOrThrow());
  });
}

/**
 * The same, unless the project has a file with this reference: then that one, whoever else adds it at the same time.
 * @throws ApiProblem 429 limit_exceeded
 */
export async function addFileOnce(
  db: Db,
  file: Insertable<SpeechTables['files']> & { client_reference_id: string },
  limits: RestLimits,
): Promise<StoredFile> {
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, file.project_id);
    const known = await findReferenced(trx, file.project_id, file.client_reference_id);
    if (known) return known;
    await checkRoom(trx, file.project_id, file.size, limits);
    return toFile(await trx.insertInto('files').values(file).returning(COLUMNS).executeTakeFirstOrThrow());
  });
}

/** The oldest file of a project that its caller gave this reference. */
export async function findReferenced(db: Db, projectId: string, reference: string): Promise<StoredFile | undefined> {
  const row = await db
    .selectFrom('files')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('client_reference_id', '=', reference)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return row && toFile(row);
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

export async function findFile(db: Db, projectId: string, id: string): Promise<StoredFile | undefined> {
  const row = await db
    .selectFrom('files')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toFile(row);
}

/** For a link that was signed: it stands for the right to read this one file. */
export async function findLinkedFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const row = await db.selectFrom('files').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && toFile(row);
}

/** True when there was such a file. */
export async function deleteFile(db: Db, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('files')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
