import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_FILE } from './data-dir.ts';
import type { Db } from './db/database.ts';
import { StartError } from './start-error.ts';

/** Derives the key of one purpose, so that no two uses share one. 32 bytes. */
export type SecretFor = (purpose: string) => Uint8Array;

/** What a lost secret costs, and how to go on without it. */
const REMAKE =
  'or, where it is lost, write 32 or more random characters into it: everybody then has to sign in again, waiting mails are lost, and webhooks need new secrets.';

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

/** The master secret: the given one, else the one kept in the data directory (made there, mode 0600, when missing). @throws StartError when that one holds none */
export function loadSecret(config: { secretKey: string | undefined; dataDir: string }): SecretFor {
  const master = config.secretKey ?? keptSecret(config.dataDir);
  const derived = new Map<string, Uint8Array>();
  return (purpose) => {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const secret = new Uint8Array(hkdfSync('sha256', master, '', purpose, 32));
    derived.set(purpose, secret);
    return secret;
  };
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

/** The file appears whole or not at all, and of several that are made at once one wins. */
function makeSecret(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    writeFileSync(aside, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(aside, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
