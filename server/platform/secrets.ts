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
  /** Derives a key of 32 bytes from the current secret, for signing and sealing. Each purpose has its own key. */
  (purpose: string): Uint8Array;
  /** The keys of a purpose from all accepted secrets, the current one first; for verifying and opening. */
  accepted(purpose: string): readonly Uint8Array[];
  /** Reads the secrets of the data directory again, after {@link renewSecret} or {@link forgetSecrets}. */
  reload(): void;
}

/** The settings that tell where secrets come from. */
export interface SecretSettings {
  secretKey: string | undefined;
  acceptedKeys?: readonly string[];
  dataDir: string;
}

/** What a lost secret costs, and how to go on without it. */
const REMAKE =
  'or, where it is lost, write 32 or more random characters into it: links that were sent are then dead, waiting mails are lost, and webhooks need new secrets.';

/**
 * Refuses to start without the secret that the database was used with: a new one would silently break its webhook
 * secrets and signed links. Call it before {@link loadSecret}, which makes a missing secret. @throws StartError
 */
export async function requireSecret(
  db: Db,
  { secretKey, dataDir }: { secretKey: string | undefined; dataDir: string },
): Promise<void> {
  const file = join(dataDir, SECRET_FILE);
  if (secretKey !== undefined || existsSync(file)) return;
  // Without accounts, as after an interrupted first start, nothing depends on the secret.
  const user = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user)
    throw new StartError(
      `${file} is missing, and the database has been used with it. Put it back from a backup, or set SECRET_KEY where that was in use; ${REMAKE}`,
    );
}

/** Fewest characters of a secret, as of SECRET_KEY. */
const LEAST_LENGTH = 32;

/**
 * Loads the master secret: SECRET_KEY, else the file in the data directory, which is made if missing (mode 0600). Also
 * loads the other accepted secrets. @throws StartError if a file holds an invalid secret
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

/** All accepted master secrets, the current one first. */
const mastersOf = ({ secretKey, acceptedKeys = [], dataDir }: SecretSettings): string[] => [
  ...new Set(secretKey === undefined ? [keptSecret(dataDir), ...secretsBefore(dataDir)] : [secretKey, ...acceptedKeys]),
];

/**
 * Names that tell the accepted secrets apart without revealing them, the current one first; empty if there is none yet.
 * @throws StartError as {@link loadSecret}
 */
export function namesOfKeys(settings: SecretSettings): string[] {
  if (settings.secretKey === undefined && !existsSync(join(settings.dataDir, SECRET_FILE))) return [];
  return loadSecret(settings)
    .accepted('name of the secret')
    .map((key) => createHash('sha256').update(key).digest('hex').slice(0, 16));
}

/**
 * Puts a new secret into the data directory. Writes the old one to the earlier secrets first, so that sealed texts can
 * always be opened. Call `reload` afterwards.
 */
export function renewSecret(dataDir: string): void {
  const before = [...new Set([keptSecret(dataDir), ...secretsBefore(dataDir)])];
  replaceFile(join(dataDir, SECRETS_BEFORE_FILE), `${before.join('\n')}\n`);
  replaceFile(join(dataDir, SECRET_FILE), newSecret());
}

/** Deletes the earlier secrets. Call `reload` afterwards. */
export const forgetSecrets = (dataDir: string): void => rmSync(join(dataDir, SECRETS_BEFORE_FILE), { force: true });

/** @throws StartError if one is too short, perhaps damaged by an editor: anybody could forge its signatures */
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
  // A file damaged by a full disk or an editor holds a weak secret: anybody could forge its signatures.
  if (secret.length < LEAST_LENGTH)
    throw new StartError(
      `${file} holds no secret (${secret.length} characters instead of ${LEAST_LENGTH} or more). Put it back from a backup; ${REMAKE}`,
    );
  return secret;
}

const newSecret = (): string => randomBytes(48).toString('base64url');

/** Makes the file atomically. If several processes do so at once, the first one wins. */
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

/** Replaces a file atomically and durably. */
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
