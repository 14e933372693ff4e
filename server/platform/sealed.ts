import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { SecretFor } from './secrets.ts';

const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What was sealed cannot be opened: it is damaged or moved, or `SECRET_KEY` is not the one that it was sealed with. */
export class Unreadable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Unreadable';
  }
}

/** Encrypts texts that lie in the database. `about` is the row that a text belongs to: in any other it cannot be opened. */
export interface Sealer {
  seal(text: string, about: string): string;
  /** Also what was sealed with another accepted secret. @throws Unreadable */
  open(sealed: string, about: string): string;
  /** How texts begin that it can open: first those that were sealed with the secret of now. */
  beginnings(): readonly string[];
}

/**
 * AES-256-GCM with a key of its own for each purpose. A sealed text is `v1.<id of the key>.<nonce, cipher text and tag>`: the id tells
 * which secret it was sealed with, and a secret that is gone from damage.
 */
export function sealerFor(secretFor: SecretFor, purpose: string): Sealer {
  // Asked for each time: the secret of a running server may be renewed.
  return {
    beginnings: () => secretFor.accepted(purpose).map(beginningOf),
    seal(text, about) {
      const key = secretFor(purpose);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about));
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return beginningOf(key) + bytes.toString('base64url');
    },
    open(sealed, about) {
      const [format, sealedBy, encoded = ''] = sealed.split('.');
      const bytes = Buffer.from(encoded, 'base64url');
      if (format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new Unreadable('This is not a sealed text.');
      const key = secretFor.accepted(purpose).find((one) => idOf(one) === sealedBy);
      if (key === undefined) throw new Unreadable('It was sealed with another SECRET_KEY than the one of now.');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(about))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch (error) {
        throw new Unreadable('It is damaged, or belongs to another row.', { cause: error });
      }
    },
  };
}

const beginningOf = (key: Uint8Array): string => `${FORMAT}.${idOf(key)}.`;

const idOf = (key: Uint8Array): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
