import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SECRET_FILE, SECRETS_BEFORE_FILE } from './data-dir.ts';
import type { Db } from './db/database.ts';
import { StartError } from './start-error.ts';

export interface SecretFor {
  /** Derives the key of one purpose, so that no two uses share one: what is made anew is signed and sealed with it. 32 bytes. */
  (purpose: string): Uint8Array;
  /** That key, and those of other secrets that count beside this one, for what comes back. */
  accepted(purpose: string): readonly Uint8Array[];
  /** Reads the secrets of the data directory again, after {@link renewSecret} or {@link forgetSecrets}. */
  reload(): void;
}

/** Where secrets are from. */
export interface SecretSettings {
  secretKey: string | undefined;
  acceptedKeys?: readonly string[];
  dataDir: string;
}

/** What a lost secret costs, and how to go on without it. */
const REMAKE =
  'or, where it is lost, write 32 or more random characters into it: links that were sent are then dead, waiting mails are lost, and webhooks need new secrets.';

/**
 * Refuses to make a new secret beside a database that was used with another one: its webhook secrets and signed links would
 * break without a word. Call it before {@link loadSecret}. @throws StartError
 */
export async function requireSecret(
  db: Db,
  { secretKey, dataDir }: { secretKey: string | undefined; dataDir: string },
): Promise<void> {
  const file = join(dataDir, SECRET_FILE);
  if (secretKey !== undefined || existsSync(file)) return;
  // Nothing depends on a secret while there are no accounts, as after a first start that was cut short.
  const user = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user)
    throw new StartError(
      `${file} is missing, and the database has been used with it. Put it back from a backup, or set SECRET_KEY where that was in use; ${REMAKE}`,
    );
}

/** As of SECRET_KEY. */
const LEAST_LENGTH = 32;

/**
 * The master secret: the given one, else the one kept in the data directory (made there, mode 0600, when missing); and those that are
 * accepted beside it. @throws StartError when that one holds none
 */
export function loadSecret(settings: SecretSettings): SecretFor {
  let masters = mastersOf(settings);
  const derived = new Map<string, readonly Uint8Array[]>();
  const accepted = (purpose: string): readonly Uint8Array[] => {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const keys = masters.map((master) => new Uint8Array(hkdfSync('sha256', master, '', purpose, 32)));
    derived.set(purpose, keys);
    return keys;
  };
  const current = (purpose: string): Uint8Array => {
    const [key] = accepted(purpose);
    if (key === undefined) throw new Error('There is no secret.');
    return key;
  };
  const reload = (): void => {
    masters = mastersOf(settings);
    derived.clear();
  };
  return Object.assign(current, { accepted, reload });
}

/** The one in use first. */
const mastersOf = ({ secretKey, acceptedKeys = [], dataDir }: SecretSettings): string[] => [
  ...new Set(secretKey === undefined ? [keptSecret(dataDir), ...secretsBefore(dataDir)] : [secretKey, ...acceptedKeys]),
];

/** Tells secrets from others, and nothing about them: the one in use first. None where there is none yet. @throws StartError as {@link loadSecret} */
export function namesOfKeys(settings: SecretSettings): string[] {
  if (settings.secretKey === undefined && !existsSync(join(settings.dataDir, SECRET_FILE))) return [];
  return loadSecret(settings)
    .accepted('name of the secret')
    .map((key) => createHash('sha256').update(key).digest('hex').slice(0, 16));
}

/**
 * Puts a new secret into the data directory. The one before is written down first: at no time is there none that opens what is sealed.
 * Call `reload` then.
 */
export function renewSecret(dataDir: string): void {
  const before = [...new Set([keptSecret(dataDir), ...secretsBefore(dataDir)])];
  replaceFile(join(dataDir, SECRETS_BEFORE_FILE), `${before.join('\n')}\n`);
  replaceFile(join(dataDir, SECRET_FILE), newSecret());
}

/** Forgets the secrets before. Call `reload` then. */
export const forgetSecrets = (dataDir: string): void => rmSync(join(dataDir, SECRETS_BEFORE_FILE), { force: true });

/** @throws StartError for one that is too short: what an editor left of it would sign tokens that anybody could forge */
function secretsBefore(dataDir: string): string[] {
  const file = join(dataDir, SECRETS_BEFORE_FILE);
  if (!existsSync(file)) return [];
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (secrets.some(({ length }) => length < LEAST_LENGTH))
    throw new StartError(
      `${file} holds a line that is no secret: each has ${LEAST_LENGTH} characters or more. Put the file back from a backup, or take that line out.`,
    );
  return secrets;
}

function keptSecret(dataDir: string): string {
  const file = join(dataDir, SECRET_FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) makeSecret(file);
  const secret = readFileSync(file, 'utf8').trim();
  // What a full disk or an editor left of it would sign tokens that anybody could forge.
  if (secret.length < LEAST_LENGTH)
    throw new StartError(
      `${file} holds no secret (${secret.length} characters instead of ${LEAST_LENGTH} or more). Put it back from a backup; ${REMAKE}`,
    );
  return secret;
}

const newSecret = (): string => randomBytes(48).toString('base64url');

/** The file appears whole or not at all, and of several that are made at once one wins. */
function makeSecret(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    writeFileSync(aside, newSecret(), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(aside, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The file is the old one or the new one, whatever happens, and the new one when this returns. */
function replaceFile(file: string, text: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    writeFileSync(aside, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
