/** Takes a backup. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Transaction } from 'kysely';
import * as v from 'valibot';
import { OperatorError } from '../operator-error.ts';
import type { Config } from '../../platform/config.ts';
import { SECRET_FILE } from '../../platform/data-dir.ts';
import { executedIn } from '../../platform/db/migrate.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { createLog } from '../../platform/log.ts';
import { projectRoot } from '../../platform/paths.ts';
import { namesOfKeys } from '../../platform/secrets.ts';
import { openUnclaimed } from '../../platform/storage/open.ts';
import { areBytesMissing, type FileStorage } from '../../platform/storage/port.ts';
import {
  fileHash,
  FORMAT,
  linesOf,
  MISSING,
  RECORDINGS_FOLDER,
  SECRETS,
  SUMS,
  syncFolder,
  TABLES_FOLDER,
  writeManifest,
  type Content,
} from './format.ts';
import { hashing } from './pieces.ts';
import { countOf, sizeInWords, throttled, type Say } from './progress.ts';
import { writeRows } from './rows.ts';
import { openSource, type Source } from './source.ts';

/** Recordings copied at the same time. */
const COPIES = 4;
/** Ids per query. */
const PAGE = 1000;
/** Sorts before all ids. */
const NIL = '00000000-0000-0000-0000-000000000000';
/** Follows the id of a recording that may not be stored yet. */
const MAY_LACK = ' ?';
/** Name of the list of recordings to copy; only while a backup is made. */
const WANTED = 'wanted-recordings';

export interface Taking {
  say: Say;
  /** Whether the backup gets the secret key of the data directory. */
  withSecretKey?: boolean;
}

/**
 * Writes a backup into a new folder, which appears once it is complete.
 * @throws OperatorError, StartError, or an error of the system, the database or the storage
 */
export async function takeBackup(config: Config, to: string, { say, withSecretKey = false }: Taking): Promise<Content> {
  const folder = resolve(to);
  if (existsSync(folder)) throw new OperatorError(`${folder} exists already. Name a new folder.`);
  const key = join(config.dataDir, SECRET_FILE);
  if (withSecretKey && (config.secretKey !== undefined || !existsSync(key)))
    throw new OperatorError(`This server does not use ${key}. Keep SECRET_KEY elsewhere, without --with-secret-key.`);
  const log = createLog('silent');
  const storage = await openUnclaimed(config, log, true);
  const source = await openSource(config);
  // If this process is killed, the name says that the folder may be removed.
  const unfinished = join(dirname(folder), `${basename(folder)}.${randomUUID()}.unfinished`);
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    const content = await write(unfinished, { config, source, storage, say, withSecretKey });
    await syncFolder(unfinished);
    await rename(unfinished, folder);
    await syncFolder(dirname(folder));
    return content;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    await source.close();
  }
}

interface Parts {
  config: Config;
  source: Source;
  storage: FileStorage;
  say: Say;
  withSecretKey: boolean;
}

async function write(folder: string, { config, source, storage, say, withSecretKey }: Parts): Promise<Content> {
  const sums = await open(join(folder, SUMS), 'ax', 0o600);
  try {
    const note = (name: string, sha256: string): Promise<void> => sums.appendFile(`${sha256}  ${name}\n`);
    const seen = await source.read(async (trx) => {
      const about = await describe(trx);
      const rows = await writeRows(trx, folder, { say, note });
      await listWanted(trx, join(folder, WANTED));
      return { ...about, ...rows };
    });
    await syncFolder(join(folder, TABLES_FOLDER));
    const recordings = await copyRecordings(folder, { storage, say, note });
    // Only if no recording was removed since the rows were read, the copies are complete.
    await source.requireHeld();
    await rm(join(folder, WANTED));
    for (const name of withSecretKey ? SECRETS : [])
      if (existsSync(join(config.dataDir, name))) await copyFile(join(config.dataDir, name), join(folder, name));
    for (const name of [MISSING, ...SECRETS])
      if (existsSync(join(folder, name))) await note(name, await fileHash(join(folder, name)));
    await sums.sync();
    const content: Content = {
      format: FORMAT,
      version: await ownVersion(),
      database: source.kind,
      secret_key_id: namesOfKeys(config)[0] ?? null,
      ...seen,
      recordings,
      sums: await fileHash(join(folder, SUMS)),
    };
    await writeManifest(folder, content);
    return content;
  } finally {
    await sums.close();
  }
}

async function describe(
  trx: Transaction<Schema>,
): Promise<Pick<Content, 'taken_at' | 'migrations' | 'installation_id' | 'storage_id'>> {
  const migrations = await executedIn(trx);
  if (migrations.length === 0)
    throw new OperatorError('No server has used the database yet, so there is nothing to back up.');
  const known = await trx.selectFrom('installation').select(['id', 'storage_id']).executeTakeFirst();
  return {
    taken_at: new Date().toISOString(),
    migrations,
    installation_id: known?.id ?? null,
    storage_id: known?.storage_id ?? known?.id ?? null,
  };
}

/** Lists the ids of the recordings that rows name; marks those that may not be stored yet. */
async function listWanted(trx: Transaction<Schema>, path: string): Promise<void> {
  const list = await open(path, 'wx', 0o600);
  const write = async (page: (after: string) => Promise<{ id: string }[]>, mark: string): Promise<void> => {
    for (let after: string | undefined = NIL; after !== undefined;) {
      const rows: { id: string }[] = await page(after);
      await list.appendFile(rows.map(({ id }) => `${id}${mark}\n`).join(''));
      after = rows.at(-1)?.id;
    }
  };
  try {
    await write(
      (after) => trx.selectFrom('files').select('id').where('id', '>', after).orderBy('id').limit(PAGE).execute(),
      '',
    );
    // A recording fetched from a URL has the transcription's id, and is needed until the transcription ends.
    await write(
      (after) =>
        trx
          .selectFrom('transcriptions')
          .select('id')
          .where('id', '>', after)
          .where('audio_url', 'is not', null)
          .where('status', 'in', ['queued', 'processing'])
          .orderBy('id')
          .limit(PAGE)
          .execute(),
      MAY_LACK,
    );
  } finally {
    await list.close();
  }
}

async function copyRecordings(
  folder: string,
  { storage, say, note }: Pick<Parts, 'storage' | 'say'> & { note: (name: string, sha256: string) => Promise<void> },
): Promise<Content['recordings']> {
  const into = join(folder, RECORDINGS_FOLDER);
  await mkdir(into, { mode: 0o700 });
  const missing: string[] = [];
  const done = { count: 0, bytes: 0 };
  const inWords = (): string => `${countOf(done.count, 'recording')}, ${sizeInWords(done.bytes)}`;
  const report = throttled(say);
  const copy = async (id: string): Promise<void> => {
    const hash = createHash('sha256');
    const counted = hashing(hash, (bytes) => {
      done.bytes += bytes;
      report(inWords);
    });
    await pipeline(
      await storage.open(id),
      counted,
      createWriteStream(join(into, id), { mode: 0o600, flags: 'wx', flush: true }),
    );
    await note(`${RECORDINGS_FOLDER}/${id}`, hash.digest('hex'));
    done.count += 1;
  };
  const wanted = linesOf(join(folder, WANTED));
  const copyAll = async (): Promise<void> => {
    for (;;) {
      const next = await wanted.next();
      if (next.done === true) return;
      const [id = '', mayLack] = next.value.split(' ');
      try {
        await copy(id);
      } catch (error) {
        // Ends the list, so that the other copies stop after their current recording.
        if (!areBytesMissing(error)) throw (await wanted.return(undefined), error);
        if (mayLack === undefined) missing.push(id);
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: COPIES }, copyAll));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  await syncFolder(into);
  say(`${inWords()}.`);
  if (missing.length > 0) {
    const list = await open(join(folder, MISSING), 'wx', 0o600);
    await list.appendFile(`${missing.toSorted().join('\n')}\n`);
    await list.sync();
    await list.close();
    say(`The storage has lost ${countOf(missing.length, 'recording')} that the database names. ${MISSING} lists them.`);
  }
  return { ...done, missing: missing.length };
}

async function ownVersion(): Promise<string> {
  const { version } = v.parse(
    v.object({ version: v.string() }),
    JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')),
  );
  return version;
}
