import { createHmac, timingSafeEqual } from 'node:crypto';

/** Names the secret that signs links. */
export const LINK_SECRET = 'file-links';
/** How long a link is valid, milliseconds. */
const LINK_LIFETIME_MS = 3_600_000;

const signature = (key: Uint8Array, id: string, expires: string): string =>
  createHmac('sha256', key).update(`${id}\n${expires}`).digest('base64url');

/** A token that opens one file for {@link LINK_LIFETIME_MS}, without another credential. */
export function signLink(key: Uint8Array, id: string, now: Date): string {
  const expires = Math.floor((now.getTime() + LINK_LIFETIME_MS) / 1000).toString(36);
  return `${expires}.${signature(key, id, expires)}`;
}

/** Whether one of the keys has signed the token for this file, and it has not expired. */
export function verifyLink(keys: readonly Uint8Array[], id: string, token: string, now: Date): boolean {
  const [, expires = '', given = ''] = /^([0-9a-z]{1,10})\.([\w-]{43})$/.exec(token) ?? [];
  // Compares texts, because several base64url texts decode to the same bytes.
  const got = Buffer.from(given);
  const isSigned = keys.some((key) => {
    const wanted = Buffer.from(signature(key, id, expires));
    return got.length === wanted.length && timingSafeEqual(got, wanted);
  });
  return isSigned && now.getTime() < Number.parseInt(expires, 36) * 1000;
}
