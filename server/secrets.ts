import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Derives the key of one purpose, so that no two uses share one. 32 bytes. */
export type SecretFor = (purpose: string) => Uint8Array;

const SECRET_FILE = 'secret-key';

/** The master secret: the given one, else the one kept in the data directory (made there, mode 0600, when missing). */
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
  try {
    writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8');
}
