import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { SecretFor } from './secrets.ts';

const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text cannot be opened: it is damaged, belongs to another row, or was sealed with another `SECRET_KEY`. */
export class Unreadable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Unreadable';
  }
}

/** Encrypts texts in the database. `about` names the row of a text, which cannot be opened for any other row. */
export interface Sealer {
  seal(text: string, about: string): string;
  /** Opens a text that was sealed with any accepted secret. @throws Unreadable */
  open(sealed: string, about: string): string;
  /** Prefixes of the texts that it can open; first the prefix of the current secret. */
  beginnings(): readonly string[];
}

/**
 * AES-256-GCM with its own key for each purpose. A sealed text is `v1.<id of the key>.<nonce, cipher text and tag>`.
 * The id names the secret, and so tells a lost secret from damage.
 */
export function sealerFor(secretFor: SecretFor, purpose: string): Sealer {
  // Derive the key at each call, because the secret of a running server may be renewed.
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
