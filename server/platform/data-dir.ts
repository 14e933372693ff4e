/** The data directory: ours, for nobody else to read, and never begun anew beside what is already in it. */
import { existsSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from './start-error.ts';

/** A new database takes 40 MB, one at work writes its log in pieces of 16. */
const SPACE_BYTES = 64 * 2 ** 20;

/** What lives in the data directory, by name. */
export const DATABASE_FOLDER = 'database';
export const RECORDINGS_FOLDER = 'files';
/** Copies of recordings in a bucket, while they are transcribed. */
export const CHECKOUTS_FOLDER = 'checkouts';
export const SECRET_FILE = 'secret-key';
/** Secrets that were in use before that one, a line each: what they have signed and sealed still counts. */
export const SECRETS_BEFORE_FILE = 'secret-keys-before';
export const DEMO_PASSWORD_FILE = 'demo-password';
/** Names the database that knows the recordings; beside them, or in their bucket. */
export const INSTALLATION_FILE = 'installation-id';
/** Tells the place of the recordings from copies of it; beside that one. */
export const PLACE_FILE = 'place-id';
/** A database that is being made. Nothing of value is ever in it: it gets its name when it is done. */
export const UNFINISHED_DATABASE = `${DATABASE_FOLDER}.new`;
/** A copy of the database that a backup reads. */
export const DATABASE_COPY = `${DATABASE_FOLDER}.copy`;
/** Major version of PostgreSQL of the embedded database; it reads no other. */
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
 * Makes the directory where it is missing, and takes away what others may do with it and with what is ours in it.
 * @throws StartError when it is no directory or belongs to another user; else the system's error
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

/** Copies a folder that may be readable for all and writable for nobody: the copy is ours, and for nobody else to read. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  await tightenAll(to);
}

/** With the folders above it. Node's own way (`recursive`) tells of a read-only file system that something is missing. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // What it is then, the caller finds out. A read-only file system says so of what exists, too.
    if (code === 'EEXIST' || (code !== 'ENOENT' && existsSync(path))) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: FOLDER_MODE });
  }
}

/** A folder with all that is in it. Links that an operator made at the top are followed, others are left alone. */
async function tightenAll(path: string): Promise<void> {
  // Another server at work may take away what was there a moment ago.
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
  // Windows has other rights, and no such numbers.
  if (self === undefined) return;
  if (uid !== self)
    throw new StartError(
      `${path} belongs to another user (uid ${uid}); this server runs as uid ${self}. Run it as that user, or give the data directory to this one: chown -R ${self} followed by the directory.`,
    );
  const wanted = (mode & 0o170000) === 0o040000 ? FOLDER_MODE : FILE_MODE;
  if ((mode & OTHERS) !== 0 || (mode & wanted) !== wanted) await chmod(path, wanted);
}

/**
 * The folder of the embedded database, which is made where the data directory is new. Call it with the directory locked.
 * @param initialise makes a database in a folder that does not exist yet, and closes it
 * @throws StartError when there is something, but no database of this version
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
  // An end in the middle leaves this one, and no database: the next start begins again.
  const unfinished = join(dataDir, UNFINISHED_DATABASE);
  await rm(unfinished, { recursive: true, force: true });
  await initialise(unfinished);
  await rename(unfinished, folder);
  return folder;
}

/** @throws StartError when the database would soon run out of space */
export async function requireSpace(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < SPACE_BYTES)
    throw new StartError(
      `The disk of ${dataDir} is full: ${megabytes(bavail * bsize)} MB are free, at least ${megabytes(SPACE_BYTES)} are needed. Make room, or set DATA_DIR to a directory on another disk.`,
    );
}

const megabytes = (bytes: number): number => Math.floor(bytes / 2 ** 20);

/** @throws the system's error, such as ENOSPC, when nothing can be written */
export async function requireWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, 'write-probe');
  try {
    await writeFile(probe, Buffer.alloc(1 << 16), { mode: FILE_MODE });
  } finally {
    await rm(probe, { force: true });
  }
}

/** To begin anew takes an empty directory: emptying it is the operator's yes. */
const remedy = (dataDir: string): string =>
  `Put the folder ${DATABASE_FOLDER} back from a backup; or, to begin anew without the old data, move everything out of ${dataDir}.`;

function hasContent(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readdirSync(path).length > 0;
  } catch (error) {
    // A file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return true;
    throw error;
  }
}
