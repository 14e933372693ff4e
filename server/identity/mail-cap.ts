import { tryCall, type Rate } from '../http/rate-limit.ts';
import type { Services } from '../platform/context.ts';

/**
 * Letters to one address that anybody can cause, whoever asks: some at once, then one every ten minutes. Each kind has a cap
 * of its own, because of one kind every letter does the same: whoever uses up the letters with a link for a new password has
 * had such links sent, and the newest is still good (it is at most ten minutes old and lives for an hour). So nobody can
 * keep the owner from the letter that the owner needs.
 */
const LETTERS: Rate = { burst: 5, everyMs: 600_000 };

/** Whether one more letter of this kind may go to the address. Where not, the caller answers as if it went: else the answer would tell of others. */
export async function mayMail(
  services: Pick<Services, 'db' | 'clock'>,
  kind: 'sign-up' | 'recovery' | 'invitation',
  emailKey: string,
): Promise<boolean> {
  return (await tryCall(services, `letter ${kind} ${emailKey}`, LETTERS)) === 0;
}
