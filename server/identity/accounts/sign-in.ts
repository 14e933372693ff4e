import type { SignInRequest } from '#contract/session.ts';
import type { Services } from '../../platform/context.ts';
import { siteOf } from '../../platform/networks.ts';
import { tooManyRequests } from '../../platform/refusal.ts';
import { countCall, forgetCalls, takeBackCall, tryCall, waitTurn, type Rate } from '../../platform/rate-limit.ts';
import { knownDevice, type Cookies, type Credentials } from './devices.ts';
import { failedSignInsMail } from './mails.ts';
import { isPasswordRight } from './passwords.ts';
import { wrongCredentials, type Proven } from './sessions.ts';
import { emailKey } from './emails.ts';

/** Wrong passwords for one account, from one address or one known device. */
const TRIES: Rate = { burst: 5, everyMs: 12_000 };
/** All sign-ins from one address; each hash takes 11 ms of a core. */
const ADDRESS_TRIES: Rate = { burst: 60, everyMs: 1000 };
/** Wrong passwords for one account from all unknown devices together. Beyond these, addresses wait for turns. */
const ACCOUNT_TRIES: Rate = { burst: 10, everyMs: 300_000 };
/** Wait of an address for each turn. */
const TURN_MS = 60_000;
/** Turns of an address. */
const TURNS: Rate = { burst: 5, everyMs: 15 * 60_000 };
/** Mails to the owner about many failed sign-ins. */
const MAILS: Rate = { burst: 1, everyMs: 24 * 3600_000 };

/**
 * Checks e-mail address and password, and returns the user.
 *
 * Limits guessing by address and by account, but so that a stranger cannot lock the owner out:
 *
 * - A known device (one that has signed in to the account before, shown by a signed cookie) has its own tries, which
 *   nobody without the cookie can use up. So an attack does not affect people on their usual devices.
 * - All unknown devices share the account's first tries. Once these are used up, each address waits for turns: its
 *   first try is refused without a check and starts the wait; the first one after the wait is checked. Each address
 *   waits on its own, not in a queue. So the owner on a new device gets in with the second try, after TURN_MS (or
 *   somewhat later if they use up the address's tries by not waiting), however many others try. The server cannot tell
 *   this owner from a stranger with a fresh address, so each address gives an attacker five guesses, a minute apart,
 *   then one every quarter of an hour. An IPv6 /48 counts as one address, because one customer may own it.
 * - A refused try is not compared with the password, so the refusal reveals nothing.
 * - An owner on a new device who shares an attacker's address (or a proxy that is not in TRUSTED_PROXIES) shares its
 *   turns. They can ask for a mail instead: choosing a new password signs in, and makes the device known.
 *
 * Counts by the e-mail address as typed, so that limits do not reveal which accounts exist.
 * @throws Refusal invalid_credentials, limit_exceeded with Retry-After
 */
export async function signIn(
  services: Services,
  { network, cookies }: { network: string; cookies: Cookies },
  { email, password }: SignInRequest,
): Promise<Proven> {
  const account = emailKey(email);
  const user = await services.db
    .selectFrom('users')
    .select(['id', 'email', 'email_key', 'password_hash'])
    .where('email_key', '=', account)
    .executeTakeFirst();
  const device = user && knownDevice(services, cookies, user);
  const settle =
    device === undefined ? await enterUnknown(services, network, account, user) : await enterKnown(services, device);
  const passwordHash = user?.password_hash ?? undefined;
  // Unknown accounts take the same path and time.
  const isRight = await isPasswordRight(passwordHash, password);
  if (!isRight || user === undefined || passwordHash === undefined) throw wrongCredentials();
  await settle();
  return { userId: user.id, passwordHash };
}

/** Takes back the counted tries after a right password. */
type Settle = () => Promise<void>;

async function enterKnown(services: Services, device: string): Promise<Settle> {
  const key = `sign-in device ${device}`;
  await countCall(services, key, TRIES);
  return () => forgetCalls(services, key);
}

async function enterUnknown(
  services: Services,
  address: string,
  account: string,
  user: (Credentials & { email: string }) | undefined,
): Promise<Settle> {
  const here = `sign-in ${address} ${account}`;
  const everywhere = `sign-in account ${account}`;
  await countCall(services, `sign-in ${address}`, ADDRESS_TRIES);
  await countCall(services, here, TRIES);
  if ((await tryCall(services, everywhere, ACCOUNT_TRIES)) === 0) {
    return async () => {
      await forgetCalls(services, here);
      await takeBackCall(services, everywhere, ACCOUNT_TRIES);
    };
  }
  await tellOwner(services, account, user);
  const site = siteOf(address);
  const turns = `sign-in turns ${site} ${account}`;
  const wait = await waitTurn(services, `sign-in turn ${site} ${account}`, TURN_MS);
  if (wait > 0) throw tooManyRequests(wait / 1000);
  await countCall(services, turns, TURNS);
  return async () => {
    await forgetCalls(services, here);
    await forgetCalls(services, turns);
  };
}

/** Mails the owner, at most once a day. An error of the mail does not affect the sign-in. */
async function tellOwner(
  services: Services,
  account: string,
  user: (Credentials & { email: string }) | undefined,
): Promise<void> {
  if (
    (await tryCall(services, `sign-in mail ${account}`, MAILS)) > 0 ||
    user === undefined ||
    user.password_hash === null
  )
    return;
  services.log.warn({ user_id: user.id }, 'many failed sign-ins to one account');
  try {
    await services.db
      .transaction()
      .execute((db) =>
        services.mail.send(db, failedSignInsMail(services, user.email, `${services.publicUrl()}/password/recover/`)),
      );
  } catch (error) {
    services.log.error({ err: error }, 'the mail about failed sign-ins did not leave');
  }
}
