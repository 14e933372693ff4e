import { randomUUID } from 'node:crypto';
import type { ModelProvider } from './provider.ts';
import { pick, type Step } from './steps.ts';

/** What people and banks do at the provider. */
export class Outside {
  readonly #provider: ModelProvider;
  readonly #pages: { paymentId: string; amountMicros: number; ended: boolean }[] = [];

  constructor(provider: ModelProvider) {
    this.#provider = provider;
  }

  open(paymentId: string, amountMicros: number): void {
    this.#pages.push({ paymentId, amountMicros, ended: false });
  }

  leavePages(): void {
    for (let page = 0; page < this.#pages.length; page += 1) this.endPage(0, undefined);
  }

  /** Somebody is done with a page, or it has expired. */
  endPage(which: number, ends: (Step & { do: 'page' })['ends'] | undefined): void {
    const page = pick(
      this.#pages.filter(({ ended, paymentId: id }) => !ended && !this.#provider.expired.has(id)),
      which,
    );
    if (page === undefined) return;
    const { paymentId, amountMicros } = page;
    page.ended = true;
    if (ends === undefined) {
      this.#provider.tell({ type: 'canceled', paymentId });
      return;
    }
    if (ends === 'failing') this.#provider.tell({ type: 'accepted', paymentId });
    this.#provider.take({ key: `page:${paymentId}`, paymentId, amountMicros }, ends);
  }

  refund({ which, percent, fails, isForeign }: Step & { do: 'refund' }): void {
    const intent = pick(
      this.#provider.intents.filter(
        ({ state, refundedMicros, isDisputed }) => state === 'paid' && refundedMicros === 0 && !isDisputed,
      ),
      which,
    );
    if (intent === undefined) return;
    const event = {
      paymentId: intent.paymentId,
      refundId: randomUUID(),
      amountMicros: (intent.amountMicros * percent) / 100,
    };
    intent.refundedMicros = event.amountMicros;
    const { paymentId, refundId: reference } = event;
    if (isForeign) {
      this.#provider.tell({ type: 'foreign', of: 'refunded', paymentId, reference, amount: '500 eur' });
      return;
    }
    for (const type of fails ? (['refunded', 'refund_failed'] as const) : (['refunded'] as const)) {
      const id = this.#provider.tell({ ...event, type });
      if (percent > 100) this.#provider.unfit.add(id);
    }
  }

  dispute({ which, isWon }: Step & { do: 'dispute' }): void {
    const intent = pick(
      this.#provider.intents.filter(({ state, isDisputed }) => state === 'paid' && !isDisputed),
      which,
    );
    if (intent === undefined) return;
    intent.isDisputed = true;
    const event = { paymentId: intent.paymentId, disputeId: randomUUID(), amountMicros: intent.amountMicros };
    this.#provider.tell({ ...event, type: 'disputed' });
    if (isWon) this.#provider.tell({ ...event, type: 'dispute_won' });
  }
}
