import { createHmac, timingSafeEqual } from 'node:crypto';

/** Purpose of the key that signs links. */
export const LINK_SECRET = 'file-links';
/** How long an address made for a player is good, milliseconds. */
const LINK_LIFETIME_MS = 3_600_000;

const signature = (key: Uint8Array, id: string, expires: string): string =>
  createHmac('sha256', key).update(`${id}\n${expires}`).digest('base64url');

/** A token that opens this one file until it expires, without any other credential. */
export function signLink(key: Uint8Array, id: string, now: Date): string {
  const expires = Math.floor((now.getTime() + LINK_LIFETIME_MS) / 1000).toString(36);
  return `${expires}.${signature(key, id, expires)}`;
}

export function verifyLink(keys: readonly Uint8Array[], id: string, token: string, now: Date): boolean {
  const [, expires = '', given = ''] = /^([0-9a-z]{1,10})\.([\w-]{43})$/.exec(token) ?? [];
  // As text: several texts stand for the same bytes, and only one of them was given out.
  const got = Buffer.from(given);
  const isSigned = keys.some((key) => {
    const wanted = Buffer.from(signature(key, id, expires));
    return got.length === wanted.length && timingSafeEqual(got, wanted);
  });
  return isSigned && now.getTime() < Number.parseInt(expires, 36) * 1000;
}
