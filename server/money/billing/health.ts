import type { PaymentHealth } from '#contract/billing.ts';
import type { Services } from '../../platform/context.ts';
import type { PaymentDriver } from '../payments/port.ts';
import { available } from './paying.ts';

/** How long an answer counts, milliseconds: anybody may ask, and the payment provider is not to hear of each. */
const LASTS_MS = 30_000;

/** Whether the payment provider answers, and tells of what it should, for whoever watches the server. @param webhook where it is to send events */
export function paymentHealth(
  { clock }: Pick<Services, 'clock'>,
  driver: PaymentDriver,
  webhook: () => string,
): () => Promise<PaymentHealth> {
  let known: { at: number; answer: Promise<PaymentHealth> } | undefined;
  return () => {
    const at = clock().getTime();
    // A clock that was set back must not keep it for longer.
    if (known === undefined || Math.abs(at - known.at) >= LASTS_MS)
      known = {
        at,
        answer: available(() => driver.check(webhook())).then((endpoint) => ({
          mode: driver.mode,
          status: 'ok',
          endpoint,
        })),
      };
    return known.answer;
  };
}
