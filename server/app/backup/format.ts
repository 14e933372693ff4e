/** The format of a backup: a folder with a manifest, the rows of each table, the recordings, and checksums of all. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { OperatorError } from '../operator-error.ts';
import { SECRET_FILE, SECRETS_BEFORE_FILE } from '../../platform/data-dir.ts';
import { STORED_ID } from '../../platform/storage/port.ts';
import { linesIn } from './pieces.ts';

const MANIFEST = 'manifest.json';
/** The checksums, as `sha256sum -c` reads them. */
export const SUMS = 'SHA256SUMS';
/** Ids of recordings that rows name but the storage did not have. */
export const MISSING = 'missing-recordings';
export const TABLES_FOLDER = 'tables';
export const RECORDINGS_FOLDER = 'recordings';
/** Files with secret keys, named as in the data directory. Only in a backup `--with-secret-key`. */
export const SECRETS = [SECRET_FILE, SECRETS_BEFORE_FILE];

/** Version of the format. A server reads its own and earlier ones. */
export const FORMAT = 1;

const Name = v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]*$/));
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const Content = v.object({
  format: v.literal(FORMAT),
  version: v.string(),
  taken_at: v.string(),
  database: v.picklist(['embedded', 'postgres']),
  /** Null if no server has used the database. */
  installation_id: v.nullable(v.string()),
  /** The id in the note beside the recordings. */
  storage_id: v.nullable(v.string()),
  migrations: v.array(v.string()),
  /** Identifies the key that secrets are sealed with; null without one. */
  secret_key_id: v.nullable(v.string()),
  tables: v.array(v.object({ name: Name, columns: v.array(Name), rows: Count })),
  /** Partitions, with their bounds in PostgreSQL's words. */
  partitions: v.array(
    v.object({
      name: Name,
      of: Name,
      bound: v.pipe(v.string(), v.regex(/^(DEFAULT|FOR VALUES FROM \('[^']*'\) TO \('[^']*'\))$/)),
    }),
  ),
  sequences: v.array(v.object({ name: Name, value: Count })),
  recordings: v.object({ count: Count, bytes: Count, missing: Count }),
  /** Checksum of the file of checksums. */
  sums: Hash,
});
export type Content = v.InferOutput<typeof Content>;
const Manifest = v.object({ sha256: Hash, content: v.unknown() });

/** What every format has, to recognize one that is too new. */
const AnyFormat = v.object({ content: v.object({ format: v.number(), version: v.string() }) });

export const tableFile = (name: string): string => `${TABLES_FOLDER}/${name}.jsonl.gz`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes the manifest. Write it last: a folder without it is no backup. */
export async function writeManifest(folder: string, content: Content): Promise<void> {
  const text = JSON.stringify({ sha256: hashOf(JSON.stringify(content)), content }, null, 2);
  await writeFile(join(folder, MANIFEST), `${text}\n`, { mode: 0o600, flush: true });
}

/** Reads and checks the manifest. @throws OperatorError if the backup is unfinished, damaged or of a newer version */
export async function readManifest(folder: string): Promise<Content> {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw new OperatorError(`There is no backup in ${folder}, or it is unfinished: ${MANIFEST} is missing.`);
  let given: unknown;
  try {
    given = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw damaged(path, error);
  }
  const { output, success } = v.safeParse(AnyFormat, given);
  if (success && output.content.format > FORMAT)
    throw new OperatorError(
      `A newer version of this server made the backup (${output.content.version}). Restore it with that version.`,
    );
  const manifest = v.safeParse(Manifest, given);
  const content = manifest.success && v.safeParse(Content, manifest.output.content);
  if (!content || !content.success || hashOf(JSON.stringify(manifest.output.content)) !== manifest.output.sha256)
    throw damaged(path);
  return content.output;
}

export const damaged = (path: string, cause?: unknown): OperatorError =>
  new OperatorError(`The backup is damaged: ${path} has changed or is missing. Nothing was changed.`, { cause });

/** Names of files that the checksums may list. */
const NAMED = [
  new RegExp(`^${TABLES_FOLDER}/[a-z0-9_]+\\.jsonl\\.gz$`),
  new RegExp(`^${RECORDINGS_FOLDER}/(?<id>[0-9a-f-]{36})$`),
  new RegExp(`^(${[MISSING, ...SECRETS].join('|')})$`),
];

/** The lines of the checksums, in order. @throws OperatorError for a malformed line */
export async function* readSums(folder: string): AsyncGenerator<{ sha256: string; name: string }> {
  for await (const line of linesOf(join(folder, SUMS))) {
    const [, sha256, name = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (sha256 === undefined || !NAMED.some((pattern) => pattern.test(name))) throw damaged(join(folder, SUMS));
    yield { sha256, name };
  }
}

/** The ids of the recordings in a backup. */
export async function* recordingsIn(folder: string): AsyncGenerator<string> {
  for await (const { name } of readSums(folder)) {
    const id = name.slice(RECORDINGS_FOLDER.length + 1);
    if (name.startsWith(`${RECORDINGS_FOLDER}/`) && STORED_ID.test(id)) yield id;
  }
}

/** @throws OperatorError if the file is missing */
export async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) throw damaged(path);
  yield* linesIn(createReadStream(path));
}

/** SHA-256 in hexadecimal. @throws OperatorError if the file is missing */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
      hash.update(piece);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw damaged(path, error);
    throw error;
  }
  return hash.digest('hex');
}

/** Makes the entries of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
