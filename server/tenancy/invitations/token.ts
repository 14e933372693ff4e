import { createHmac, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 16;

const signature = (key: Uint8Array, id: Uint8Array): Buffer => createHmac('sha256', key).update(id).digest();

/** The secret part of an invitation's link, made anew from its id: it can be shown again, and the database alone opens nothing. */
export function signInvitation(key: Uint8Array, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([bytes, signature(key, bytes)]).toString('base64url');
}

/** The id of an invitation's token that one of the keys has signed; undefined for what is not from here. */
export function invitationOf(keys: readonly Uint8Array[], token: string): string | undefined {
  // 48 bytes are 64 characters without rest, so that no two texts stand for one token.
  if (!/^[\w-]{64}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const id = bytes.subarray(0, ID_BYTES);
  if (!keys.some((key) => timingSafeEqual(bytes.subarray(ID_BYTES), signature(key, id)))) return undefined;
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
