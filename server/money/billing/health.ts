import type { PaymentHealth } from '#contract/paying.ts';
import type { Services } from '../../platform/context.ts';
import type { PaymentDriver } from '../payments/port.ts';
import { orUnavailable } from './paying.ts';

/** Answers are cached for this long, milliseconds: anybody may call, and not each call may reach the provider. */
const CACHED_MS = 30_000;

/**
 * Whether the payment provider answers and sends the events that it must; for monitoring.
 * @param webhook our address
 */
export function paymentHealth(
  { clock }: Pick<Services, 'clock'>,
  driver: PaymentDriver,
  webhook: () => string,
): () => Promise<PaymentHealth> {
  let cached: { at: number; answer: Promise<PaymentHealth> } | undefined;
  return () => {
    const at = clock().getTime();
    // The absolute value expires the answer even if the clock was set back.
    if (cached === undefined || Math.abs(at - cached.at) >= CACHED_MS)
      cached = {
        at,
        answer: orUnavailable(() => driver.check(webhook())).then((endpoint) => ({
          mode: driver.mode,
          status: 'ok',
          endpoint,
        })),
      };
    return cached.answer;
  };
}
