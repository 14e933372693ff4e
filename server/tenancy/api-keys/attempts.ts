import type { Services } from '../../platform/context.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';

/** Wrong keys per address. The burst allows for a program that restarts again and again with an old key. */
const WRONG_KEYS: Rate = { burst: 60, everyMs: 1000 };

/**
 * Counts a wrong key against the address that it came from. Never call it for a valid key: many callers can share an
 * address, and one of them must not lock out the others.
 * @throws Refusal limit_exceeded with Retry-After
 */
export async function countWrongKey(services: Pick<Services, 'db' | 'clock'>, address: string): Promise<void> {
  await countCall(services, `wrong-key:${address}`, WRONG_KEYS);
}
