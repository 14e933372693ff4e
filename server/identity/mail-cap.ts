import { tryCall, type Rate } from '../platform/rate-limit.ts';
import type { Services } from '../platform/context.ts';

/**
 * Cap of mails that a stranger can cause to one address: a burst, then one every ten minutes. Each kind has its own
 * cap, and all mails of a kind serve the same purpose. So a stranger who uses up a cap has sent the owner the very mail
 * that they may need: its newest link is at most ten minutes old, and works for an hour.
 */
const MAILS: Rate = { burst: 5, everyMs: 600_000 };
/**
 * Cap of invitations by one person to one address, over all organizations. Unlike the mails
 * above, one invitation cannot stand in for another, so one person must not use up the cap for others.
 */
const INVITATIONS_BY_ONE: Rate = { burst: 2, everyMs: 600_000 };
/** Cap of invitations to one address by all people together; higher, so that one person cannot use it up. */
const INVITATIONS: Rate = { burst: 20, everyMs: 600_000 };

type Parts = Pick<Services, 'db' | 'clock'>;

/**
 * Counts a mail of this kind to the address, and returns whether it may be sent. If not, the caller must answer as if
 * it was sent, because the answer must not reveal the requests of others.
 */
export async function mayMail(services: Parts, kind: 'sign-up' | 'recovery', emailKey: string): Promise<boolean> {
  return (await tryCall(services, `mail ${kind} ${emailKey}`, MAILS)) === 0;
}

/**
 * Counts an invitation to the address, and returns whether it may be mailed. If not, its link can be passed on by hand.
 */
export async function mayMailInvitation(services: Parts, inviterId: string, emailKey: string): Promise<boolean> {
  if ((await tryCall(services, `mail invitation ${inviterId} ${emailKey}`, INVITATIONS_BY_ONE)) > 0) return false;
  return (await tryCall(services, `mail invitation ${emailKey}`, INVITATIONS)) === 0;
}
