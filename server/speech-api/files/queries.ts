import type { Insertable, Transaction } from 'kysely';
import type { FilePage, StoredFile } from '#contract/files.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { limitReached } from '../../platform/refusal.ts';
import { fileNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { cutPage, type Page } from '../../platform/paging.ts';
import { takeBytes } from '../../money/limits/bytes.ts';
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

type Adding = Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults' | 'storedItemLimits'>;
type NewFile = Insertable<SpeechTables['files']>;

/** @throws Refusal limit_exceeded if the project has the most files that it may have */
export async function checkCount(
  db: Db,
  projectId: string,
  { files: most }: SpeechServices['storedItemLimits'],
): Promise<void> {
  const { files } = await db
    .selectFrom('files')
    .select((eb) => eb.fn.countAll().as('files'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(files) >= most)
    throw limitReached(`This project keeps ${most} files, the most there can be. Delete some of them.`);
}

async function add(trx: Transaction<Schema>, services: Adding, file: NewFile): Promise<StoredFile> {
  await checkCount(trx, file.project_id, services.storedItemLimits);
  await takeBytes(trx, services, { id: file.id, projectId: file.project_id, bytes: file.size });
  return toFile(await trx.insertInto('files').values(file).returning(COLUMNS).executeTakeFirstOrThrow());
}

/** Writes the row of a stored file. @throws Refusal limit_exceeded */
export async function addFile(services: Adding, file: NewFile): Promise<StoredFile> {
  return services.db.transaction().execute(async (trx) => {
    await lockProject(trx, file.project_id);
    return add(trx, services, file);
  });
}

/**
 * Like {@link addFile}, but if the project has a file with this reference, returns that one, also if it is added at the
 * same time. @throws Refusal limit_exceeded
 */
export async function addFileOnce(
  services: Adding,
  file: NewFile & { client_reference_id: string },
): Promise<StoredFile> {
  return services.db.transaction().execute(async (trx) => {
    await lockProject(trx, file.project_id);
    return (await findReferenced(trx, file.project_id, file.client_reference_id)) ?? (await add(trx, services, file));
  });
}

/** The project's oldest file with this client reference. */
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

/** Finds a file in any project. Call it only after checking a signed link. */
export async function findLinkedFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const row = await db.selectFrom('files').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && toFile(row);
}

/** @throws Refusal file_not_found */
export async function deleteFile(db: Db, projectId: string, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('files')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw fileNotFound();
}
