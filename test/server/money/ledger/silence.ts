/** Charges that ended because nobody told of them for 30 days: autopay waits until somebody does, or resets it. */
import type { Payment } from '#server/money/ledger/accounts.ts';
import { WORDLESS } from '#server/money/payments/reconcile.ts';
import type { Happened } from './causes.ts';
import type { Step } from './steps.ts';
import { isOfPayment } from './told.ts';

type Payments = readonly Payment[];

/** Those that ended so, whatever has become of them since. */
const wordlessOf = (payments: Payments): string[] =>
  payments
    .filter(({ kind, state, error_message: why }) => kind === 'autopay' && state === 'failed' && why === WORDLESS)
    .map(({ id }) => id);

/** Whether an event of these says how a payment of these ended. */
function isToldOf({ provider, owner }: Happened, payments: readonly string[], told: ReadonlySet<string>): boolean {
  const events = provider.eventsOf(owner.organizationId);
  return events.some((event) => isOfPayment(event) && payments.includes(event.paymentId) && told.has(event.id));
}

export class Silence {
  /** What was silent at a reset, or may have been; and what a reset has ended for certain. */
  readonly #reset = new Set<string>();
  readonly #over = new Set<string>();

  /** Those that autopay waits for during these steps. Where a reset is among them, another charge may follow. */
  before(happened: Happened, payments: Payments, steps: readonly Step[], isReset: boolean): string[] {
    const { provider } = happened;
    const ended = wordlessOf(payments);
    // What is ordered may end, and be reset, at once.
    const isEnding = isReset && steps.some((step) => step.do === 'reconcile');
    const ordered = isEnding ? payments.filter(({ state }) => state === 'sent').map(({ id }) => id) : [];
    const letGo = [...this.#reset, ...(isReset ? ended : []), ...ordered];
    for (const { id } of payments) provider.letGo.delete(id);
    for (const id of letGo) provider.letGo.add(id);
    return ended.filter((id) => !letGo.includes(id) && !isToldOf(happened, [id], provider.told));
  }

  /**
   * Shows that autopay waits for what nobody has told of, and for nothing else.
   * @param isReset `sure`: nothing else has happened @throws Error
   */
  prove(
    happened: Happened,
    { payments, hold }: { payments: Payments; hold: string | undefined },
    isReset: 'no' | 'maybe' | 'sure',
  ): void {
    const { provider, handled } = happened;
    const ended = wordlessOf(payments);
    if (isReset !== 'no') for (const id of ended) this.#reset.add(id);
    if (isReset === 'sure') for (const id of ended) this.#over.add(id);
    const waits = ended.filter((id) => !this.#reset.has(id) && !isToldOf(happened, [id], provider.told));
    if (waits.length > 0 && hold === undefined) throw new Error(`Nobody told of ${waits.join()}, and autopay goes on.`);
    const left = ended.filter((id) => !this.#over.has(id) && !isToldOf(happened, [id], handled));
    if (hold === 'silent' && left.length === 0) throw new Error('Autopay is silent, and no charge is.');
  }
}

/** Whether one that had ended so was told of by these events. */
export const isHeardOf = (happened: Happened, payments: Payments, told: ReadonlySet<string>): boolean =>
  isToldOf(happened, wordlessOf(payments), told);
