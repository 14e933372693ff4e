import type { SignInRequest } from '#contract/session.ts';
import type { Context } from 'hono';
import type { Services } from '../../platform/context.ts';
import { peerOf, siteOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { tooManyRequests } from '../../http/errors.ts';
import { countCall, forgetCalls, takeBackCall, tryCall, waitTurn, type Rate } from '../../http/rate-limit.ts';
import { knownDevice, type Credentials } from './devices.ts';
import { failedSignInsMail } from './mails.ts';
import { isPasswordRight } from './passwords.ts';
import { wrongCredentials, type Proven } from './sessions.ts';
import { emailKey } from './emails.ts';

/** Wrong passwords for one account from one address, or from one device that is known to it. */
const TRIES: Rate = { burst: 5, everyMs: 12_000 };
/** Sign-ins from one address altogether: a hash costs 11 ms of a core. */
const ADDRESS_TRIES: Rate = { burst: 60, everyMs: 1000 };
/** Wrong passwords for one account from all unknown devices together, before they have to wait. */
const ACCOUNT_TRIES: Rate = { burst: 10, everyMs: 300_000 };
/** How long an address then waits for each try. */
const TURN_MS = 60_000;
/** How many turns an address has before they get rare. */
const TURNS: Rate = { burst: 5, everyMs: 15 * 60_000 };
/** Mails to the owner about it. */
const MAILS: Rate = { burst: 1, everyMs: 24 * 3600_000 };

/**
 * Who signs in.
 *
 * Guessing is slowed down by the address and by the account, and neither may become a lock that a stranger holds shut:
 *
 * - A device that has signed in to the account before shows it by a signed cookie. It has tries of its own, which nobody
 *   without the cookie can use up. So an attack does not touch those who come back.
 * - All other devices share the account's first tries, whatever addresses they come from. Once these are used up, every
 *   address has to wait for a turn: its first try is refused unread and begins the wait, the one after the wait is read.
 *   Turns do not queue. Each address waits on its own, so the owner on a new device gets in with the second try, after
 *   TURN_MS at most (and a moment more for who does not wait and uses up the tries of the address), however many others try.
 *   The server cannot tell that owner from a stranger with a fresh address, so what an attacker can do grows with the
 *   number of addresses, and no further: five guesses for each, a minute apart, then one in a quarter of an hour. All of an
 *   IPv6 /48 is one address here: whoever is given a network is given that much.
 * - A try that is refused is not compared, and is refused alike with the right password: it tells nothing.
 * - Who shares an address with an attacker (or comes through a proxy that is not in TRUSTED_PROXIES) and has a new device shares
 *   the address's turns. The way past that is a mail: choosing a new password signs in and makes the device known.
 *
 * All of it counts by the e-mail address as given, so that it does not tell which accounts exist.
 * @throws ApiProblem 400 invalid_credentials, 429 limit_exceeded with Retry-After
 */
export async function signIn(
  services: Services,
  c: Context<AppEnv>,
  { email, password }: SignInRequest,
): Promise<Proven> {
  const account = emailKey(email);
  const user = await services.db
    .selectFrom('users')
    .select(['id', 'email', 'email_key', 'password_hash'])
    .where('email_key', '=', account)
    .executeTakeFirst();
  const device = user && knownDevice(services, c, user);
  const settle =
    device === undefined
      ? await enterUnknown(services, peerOf(services, c), account, user)
      : await enterKnown(services, device);
  const passwordHash = user?.password_hash ?? undefined;
  // The same for unknown accounts, in as much time.
  const isRight = await isPasswordRight(passwordHash, password);
  if (!isRight || user === undefined || passwordHash === undefined) throw wrongCredentials();
  await settle();
  return { userId: user.id, passwordHash };
}

/** Undoes what was counted, once the password was right. */
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

/** At most once a day. A mail that does not leave must not keep anybody from signing in. */
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
