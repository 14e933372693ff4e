import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../platform/context.ts';

/** A device stays known for this long after its last sign-in, seconds. */
const KNOWN_SECONDS = 365 * 24 * 3600;

/** The cookies of a browser. */
export interface Cookies {
  read(name: string): string | undefined;
  write(name: string, value: string, maxAgeSeconds: number): void;
}

/** The account of a device, with the password that the device signed in with. */
export interface Credentials {
  id: string;
  email_key: string;
  password_hash: string | null;
}

const sign = (key: Uint8Array, ...parts: string[]): string =>
  createHmac('sha256', key).update(parts.join('\n')).digest('base64url');

/** Name of the cookie of an account; does not reveal the account. */
const nameOf = (key: Uint8Array, emailKey: string): string => `device_${sign(key, emailKey).slice(0, 16)}`;

/** Signs a device. Covers the password's hash: a new password makes all devices unknown, also those of a thief. */
const signatureOf = (key: Uint8Array, { id, password_hash }: Credentials, device: string, until: string): string =>
  sign(key, id, password_hash ?? '', device, until);

/**
 * Remembers the browser as a device of the account. The cookie grants no access; it only gives the device sign-in tries
 * that strangers cannot use up.
 */
export async function rememberDevice(services: Services, cookies: Cookies, userId: string): Promise<void> {
  const user = await services.db
    .selectFrom('users')
    .select(['id', 'email_key', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirst();
  // An account without a password has no tries to protect.
  if (user === undefined || user.password_hash === null) return;
  const device = knownDevice(services, cookies, user) ?? randomBytes(16).toString('base64url');
  const until = Math.floor(services.clock().getTime() / 1000 + KNOWN_SECONDS).toString(36);
  const name = nameOf(services.secretFor('device-name'), user.email_key);
  cookies.write(
    name,
    `${device}.${until}.${signatureOf(services.secretFor('device'), user, device, until)}`,
    KNOWN_SECONDS,
  );
}

/** The device id of a browser that has signed in to this account before; undefined for others. */
export function knownDevice(services: Services, cookies: Cookies, user: Credentials): string | undefined {
  const { secretFor, clock } = services;
  for (const nameKey of secretFor.accepted('device-name')) {
    const cookie = cookies.read(nameOf(nameKey, user.email_key)) ?? '';
    const [, device = '', until = '', given = ''] = /^([\w-]{22})\.([0-9a-z]{1,10})\.([\w-]{43})$/.exec(cookie) ?? [];
    const isSigned = secretFor.accepted('device').some((key) => isSame(given, signatureOf(key, user, device, until)));
    if (isSigned && clock().getTime() < Number.parseInt(until, 36) * 1000) return device;
  }
  return undefined;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
