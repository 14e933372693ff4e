/** The data directory: private to the server's user, and never initialized a second time beside existing data. */
import { existsSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from './start-error.ts';

/** Least free space to start. A new database takes 40 MB; a running one writes its log in pieces of 16 MB. */
const SPACE_BYTES = 64 * 2 ** 20;

/** Names in the data directory. */
export const DATABASE_FOLDER = 'database';
export const RECORDINGS_FOLDER = 'files';
/** Temporary copies of recordings from a bucket, during their transcription. */
export const CHECKOUTS_FOLDER = 'checkouts';
export const SECRET_FILE = 'secret-key';
/** Earlier secrets, one a line, which are still accepted. */
export const SECRETS_BEFORE_FILE = 'secret-keys-before';
export const DEMO_PASSWORD_FILE = 'demo-password';
/** The note with the id of the recordings' database; in the data directory or the bucket. */
export const INSTALLATION_FILE = 'installation-id';
/** The mark that tells a storage from copies of it; beside the note. */
export const PLACE_FILE = 'place-id';
/** A database that is being made. It is renamed when complete, so this folder never holds data. */
export const UNFINISHED_DATABASE = `${DATABASE_FOLDER}.new`;
/** A copy of the database for a backup. */
export const DATABASE_COPY = `${DATABASE_FOLDER}.copy`;
/** The embedded database's major version of PostgreSQL; it reads no other version's files. */
export const EMBEDDED_MAJOR = '18';

const OWN = [
  DATABASE_FOLDER,
  UNFINISHED_DATABASE,
  DATABASE_COPY,
  RECORDINGS_FOLDER,
  CHECKOUTS_FOLDER,
  SECRET_FILE,
  SECRETS_BEFORE_FILE,
  DEMO_PASSWORD_FILE,
  INSTALLATION_FILE,
  PLACE_FILE,
];
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Makes the directory if it is missing, and makes it and the server's files in it private.
 * @throws StartError if it is no directory or belongs to another user; else the system's error
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir);
  const found = await stat(dataDir);
  if (!found.isDirectory()) throw new StartError(`DATA_DIR ${dataDir} is a file. Set DATA_DIR to a directory.`);
  await tighten(dataDir, found);
  for (const name of OWN) {
    const path = join(dataDir, name);
    if (existsSync(path)) await tightenAll(path);
  }
}

/** Copies a folder whose files may be world-readable or read-only; the copy is private and writable. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  await tightenAll(to);
}

/** Makes a folder and its parents. Not with `recursive`: Node then reports ENOENT on a read-only file system. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // It exists; the caller checks whether it is a folder. For an existing path, a read-only file system reports EROFS.
    if (code === 'EEXIST' || (code !== 'ENOENT' && existsSync(path))) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: FOLDER_MODE });
  }
}

/**
 * Makes a folder and its content private. Follows a link at the top, which an operator may have made, but no other
 * links.
 */
async function tightenAll(path: string): Promise<void> {
  // A running server may remove files meanwhile.
  const found = await unlessGone(stat(path));
  if (found === undefined) return;
  await unlessGone(tighten(path, found));
  if (!found.isDirectory()) return;
  const entries: Dirent[] = (await unlessGone(readdir(path, { withFileTypes: true }))) ?? [];
  for (const entry of entries) if (entry.isFile() || entry.isDirectory()) await tightenAll(join(path, entry.name));
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function tighten(path: string, { uid, mode }: Stats): Promise<void> {
  const self = process.geteuid?.();
  // Windows has no uids and modes.
  if (self === undefined) return;
  if (uid !== self)
    throw new StartError(
      `${path} belongs to another user (uid ${uid}); this server runs as uid ${self}. Run it as that user, or give the data directory to this one: chown -R ${self} followed by the directory.`,
    );
  const wanted = (mode & 0o170000) === 0o040000 ? FOLDER_MODE : FILE_MODE;
  if ((mode & OTHERS) !== 0 || (mode & wanted) !== wanted) await chmod(path, wanted);
}

/**
 * Returns the folder of the embedded database. Makes the database if the data directory is new. Lock the directory
 * first.
 * @param initialise makes a database in a new folder, and closes it
 * @throws StartError if the directory has data, but no database of this version
 */
export async function databaseFolder(dataDir: string, initialise: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(dataDir, DATABASE_FOLDER);
  const found = await stat(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined && !found.isDirectory())
    throw new StartError(`${folder} is not a directory. ${remedy(dataDir)}`);
  if (found !== undefined && (await readdir(folder)).length > 0) {
    if (!existsSync(join(folder, 'PG_VERSION')))
      throw new StartError(`${folder} is not a whole database: its file PG_VERSION is missing. ${remedy(dataDir)}`);
    const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
    if (version !== EMBEDDED_MAJOR)
      throw new StartError(
        `${folder} is not a database that this version reads: PG_VERSION says ${JSON.stringify(version.slice(0, 20))} instead of ${EMBEDDED_MAJOR}. ${remedy(dataDir)}`,
      );
    return folder;
  }
  const others = [RECORDINGS_FOLDER, SECRET_FILE, DEMO_PASSWORD_FILE, INSTALLATION_FILE].filter((name) =>
    hasContent(join(dataDir, name)),
  );
  if (others.length > 0)
    throw new StartError(
      `The data directory ${dataDir} has been used (it holds ${others.join(', ')}), but its database is missing. ${remedy(dataDir)}`,
    );
  // Make it under another name: after an interruption, the next start begins again.
  const unfinished = join(dataDir, UNFINISHED_DATABASE);
  await rm(unfinished, { recursive: true, force: true });
  await initialise(unfinished);
  await rename(unfinished, folder);
  return folder;
}

/** @throws StartError if the database would soon run out of space */
export async function requireSpace(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < SPACE_BYTES)
    throw new StartError(
      `The disk of ${dataDir} is full: ${megabytes(bavail * bsize)} MB are free, at least ${megabytes(SPACE_BYTES)} are needed. Make room, or set DATA_DIR to a directory on another disk.`,
    );
}

const megabytes = (bytes: number): number => Math.floor(bytes / 2 ** 20);

/** @throws the system's error, such as ENOSPC, if nothing can be written */
export async function requireWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, 'write-probe');
  try {
    await writeFile(probe, Buffer.alloc(1 << 16), { mode: FILE_MODE });
  } finally {
    await rm(probe, { force: true });
  }
}

/** How to go on without the database. By emptying the directory, the operator agrees to lose its data. */
const remedy = (dataDir: string): string =>
  `Put the folder ${DATABASE_FOLDER} back from a backup; or, to begin anew without the old data, move everything out of ${dataDir}.`;

function hasContent(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readdirSync(path).length > 0;
  } catch (error) {
    // It is a file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return true;
    throw error;
  }
}
