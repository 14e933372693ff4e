import { createHmac, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 16;

const signature = (key: Uint8Array, id: Uint8Array): Buffer => createHmac('sha256', key).update(id).digest();

/** An invitation's token: its id and an HMAC of it. So the link can be shown again, and the database has no secret. */
export function signInvitation(key: Uint8Array, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([bytes, signature(key, bytes)]).toString('base64url');
}

/** The invitation's id in a token; undefined unless one of the keys has signed it. */
export function invitationOf(keys: readonly Uint8Array[], token: string): string | undefined {
  // 48 bytes fill 64 characters exactly, so no two texts decode to the same token.
  if (!/^[\w-]{64}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const id = bytes.subarray(0, ID_BYTES);
  if (!keys.some((key) => timingSafeEqual(bytes.subarray(ID_BYTES), signature(key, id)))) return undefined;
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
