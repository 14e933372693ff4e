import { tryCall, type Rate } from '../http/rate-limit.ts';
import type { Services } from '../platform/context.ts';

/**
 * Mails to one address that anybody can cause, whoever asks: some at once, then one every ten minutes. Each kind has a cap
 * of its own, because of these kinds every mail does the same: whoever uses up the mails with a link for a new password has
 * had such links sent, and the newest is still good (it is at most ten minutes old and lives for an hour). So nobody can
 * keep the owner from the mail that the owner needs.
 */
const MAILS: Rate = { burst: 5, everyMs: 600_000 };
/** An invitation is not as good as another, so one person gets few of them to an address, in whatever organizations. */
const INVITATIONS_BY_ONE: Rate = { burst: 2, everyMs: 600_000 };
/** All who invite together: one person cannot use up what others need. */
const INVITATIONS: Rate = { burst: 20, everyMs: 600_000 };

type Parts = Pick<Services, 'db' | 'clock'>;

/** Whether one more mail of this kind may go to the address. Where not, the caller answers as if it went: else the answer would tell of others. */
export async function mayMail(services: Parts, kind: 'sign-up' | 'recovery', emailKey: string): Promise<boolean> {
  return (await tryCall(services, `mail ${kind} ${emailKey}`, MAILS)) === 0;
}

/** Whether a person may have one more invitation mailed to the address; the link of one that is not mailed can be passed on by hand. */
export async function mayMailInvitation(services: Parts, inviterId: string, emailKey: string): Promise<boolean> {
  if ((await tryCall(services, `mail invitation ${inviterId} ${emailKey}`, INVITATIONS_BY_ONE)) > 0) return false;
  return (await tryCall(services, `mail invitation ${emailKey}`, INVITATIONS)) === 0;
}
