/** Restores a backup. */
import { createReadStream, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../operator-error.ts';
import type { Config } from '../../platform/config.ts';
import { SECRET_FILE } from '../../platform/data-dir.ts';
import { createLog } from '../../platform/log.ts';
import { namesOfKeys } from '../../platform/secrets.ts';
import { openUnclaimed } from '../../platform/storage/open.ts';
import type { FileStorage } from '../../platform/storage/port.ts';
import {
  damaged,
  fileHash,
  readManifest,
  readSums,
  recordingsIn,
  RECORDINGS_FOLDER,
  SECRETS,
  SUMS,
  tableFile,
  type Content,
} from './format.ts';
import { countOf, throttled, type Say } from './progress.ts';
import { openTarget } from './target.ts';

interface Restoring {
  say: Say;
  /** Whether the contents of the target may be lost. */
  mayReplace?: boolean;
  /** Whether no server has run since the backup. */
  isMoved?: boolean;
}

/** Reads all of a backup. @throws OperatorError if it is damaged or incomplete */
export async function checkBackup(from: string, say: Say): Promise<Content> {
  const folder = resolve(from);
  const content = await readManifest(folder);
  if ((await fileHash(join(folder, SUMS))) !== content.sums) throw damaged(join(folder, SUMS));
  const report = throttled(say);
  const tables = new Set<string>();
  let [recordings, checked] = [0, 0];
  for await (const { sha256, name } of readSums(folder)) {
    if ((await fileHash(join(folder, name))) !== sha256) throw damaged(join(folder, name));
    if (name.startsWith(`${RECORDINGS_FOLDER}/`)) recordings += 1;
    else tables.add(name);
    checked += 1;
    report(() => `Checked ${countOf(checked, 'file')}.`);
  }
  // The checksums match the manifest, but may lack files that the manifest names.
  for (const { name } of content.tables) if (!tables.has(tableFile(name))) throw damaged(join(folder, tableFile(name)));
  if (recordings !== content.recordings.count) throw damaged(join(folder, SUMS));
  say(`The backup is complete: ${countOf(checked, 'file')}.`);
  return content;
}

/**
 * Restores the recordings and the database of a backup to where the settings say. The database comes last, so that no
 * server starts on half a restore.
 * @throws OperatorError, StartError, or an error of the system, the database or the storage
 */
export async function restoreBackup(
  config: Config,
  from: string,
  { say, mayReplace = false, isMoved = false }: Restoring,
): Promise<Content> {
  const folder = resolve(from);
  const content = await checkBackup(folder, say);
  const target = await openTarget(config, content, { mayReplace, isMoved });
  try {
    const storage = await openUnclaimed(config, createLog('silent'), true);
    const noted = await claim(storage, content, mayReplace);
    try {
      await putRecordings(storage, folder, content, say);
      await putSecrets(config, folder);
      await target.load(folder, content, say);
    } catch (error) {
      await giveBack(storage, { noted, id: content.storage_id }, say);
      throw error;
    }
  } finally {
    await target.close();
  }
  if (content.secret_key_id !== null && !namesOfKeys(config).includes(content.secret_key_id))
    say(
      `The backup was made with another secret key than this server's: sent links do not work, and nobody can read waiting mails and secrets of webhooks. ${
        config.secretKey === undefined
          ? `Put that key into ${join(config.dataDir, SECRET_FILE)}`
          : 'Set SECRET_KEY to that one'
      } before you start the server.`,
    );
  return content;
}

/** Makes the storage the backup's, unless it is. @returns the id in its note before @throws OperatorError */
async function claim(
  storage: FileStorage,
  { storage_id: id }: Content,
  mayReplace: boolean,
): Promise<string | undefined> {
  const { name, note } = storage.place;
  const noted = await storage.readNote();
  if (id === null || noted === id) return noted;
  if (!mayReplace) {
    if (noted !== undefined || !(await isEmpty(storage)))
      throw new OperatorError(
        `The recordings in ${name} belong to another database. Restore to an empty place, or add --replace to lose them. Nothing was changed.`,
      );
  }
  await storage.writeNote(id);
  if ((await storage.readNote()) !== id)
    throw new OperatorError(`${name} belongs to another database. If nobody uses that any more, remove ${note} first.`);
  return noted;
}

/**
 * Gives the storage back the note by which its servers recognize it, because the database is unchanged. Without one
 * before, an empty storage has none again; another one keeps the backup's, so that the next try goes on.
 */
async function giveBack(
  storage: FileStorage,
  { noted, id }: { noted: string | undefined; id: string | null },
  say: Say,
): Promise<void> {
  const { note } = storage.place;
  try {
    if (noted !== undefined) await storage.writeNote(noted);
    else if ((await storage.readNote()) === id && (await isEmpty(storage))) await storage.removeNote();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(
      noted === undefined
        ? `Could not remove ${note} (${why}).`
        : `Could not restore ${note} (${why}). It must say ${noted}.`,
    );
  }
}

async function isEmpty(storage: FileStorage): Promise<boolean> {
  for await (const _ of storage.list()) return false;
  return true;
}

/** Copies the recordings that the storage lacks; a recording never changes. */
async function putRecordings(storage: FileStorage, folder: string, { recordings }: Content, say: Say): Promise<void> {
  const report = throttled(say);
  let done = 0;
  for await (const id of recordingsIn(folder)) {
    if (!(await storage.exists(id))) await storage.put(id, createReadStream(join(folder, RECORDINGS_FOLDER, id)));
    done += 1;
    report(() => `Restored ${done} of ${countOf(recordings.count, 'recording')}.`);
  }
  say(`Restored ${countOf(recordings.count, 'recording')}.`);
}

/** Copies the secret keys of the backup, if it has any and this server has none. */
async function putSecrets({ dataDir, secretKey }: Config, folder: string): Promise<void> {
  if (secretKey !== undefined || SECRETS.some((name) => existsSync(join(dataDir, name)))) return;
  for (const name of SECRETS)
    if (existsSync(join(folder, name))) await copyFile(join(folder, name), join(dataDir, name));
}
