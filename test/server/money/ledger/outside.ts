import { randomUUID } from 'node:crypto';
import type { Intent } from './charges.ts';
import type { ModelProvider } from './provider.ts';
import { pick, type Step } from './steps.ts';

/** What a bank, or the provider, takes for a dispute, micro-USD. */
const FEE = 15_000_000;
/** So many disputes of one payment are plenty. */
const DISPUTES_MAX = 2;

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

  endPages(): void {
    for (let page = 0; page < this.#pages.length; page += 1) this.endPage(0, undefined);
  }

  payAll(): void {
    for (let page = 0; page < this.#pages.length; page += 1) this.endPage(0, 'paid');
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

  /** A payment is paid a second time, by another charge. */
  second(which: number): void {
    const { intents } = this.#provider;
    const intent = pick(
      intents.filter((one) => one.state === 'paid' && !this.#provider.isTwice(one.paymentId) && !this.#isTest(one)),
      which,
    );
    if (intent !== undefined) this.#provider.take({ ...intent, key: `second:${intent.paymentId}` }, 'paid');
  }

  /** The provider gives no more back than there is left, unless it is quite wrong. */
  refund({ which, percent, fails, isForeign }: Step & { do: 'refund' }): void {
    const intent = pick(this.#received(), which);
    if (intent === undefined) return;
    const amountMicros = (intent.receivedMicros * percent) / 100;
    if (percent <= 100 && intent.refundedMicros + amountMicros > intent.receivedMicros) return;
    if (!fails) intent.refundedMicros += amountMicros;
    const { paymentId, providerId } = intent;
    const refundId = randomUUID();
    if (isForeign) {
      this.#provider.tell({
        type: 'other_currency',
        of: 'refunded',
        paymentId,
        reference: refundId,
        amount: '500 eur',
      });
      return;
    }
    for (const type of fails ? (['refunded', 'refund_failed'] as const) : (['refunded'] as const)) {
      const id = this.#provider.tell({ paymentId, refundId, amountMicros, providerId, type });
      if (amountMicros > intent.amountMicros) this.#provider.unfit.add(id);
    }
  }

  dispute({ which, percent, asks, ends, fee, isForeign, isOld }: Step & { do: 'dispute' }): void {
    const intent = pick(
      this.#received().filter(({ disputes }) => disputes < DISPUTES_MAX),
      which,
    );
    if (intent === undefined) return;
    intent.disputes += 1;
    const { paymentId, providerId } = intent;
    const disputeId = randomUUID();
    const tell = this.#provider.tell.bind(this.#provider);
    if (asks || ends === 'dropped') tell({ type: 'dispute_opened', paymentId, disputeId });
    if (ends === 'dropped') {
      tell({ type: 'dispute_dropped', paymentId, disputeId });
      return;
    }
    const inEuros = { type: 'other_currency', paymentId, reference: disputeId, amount: '500 eur' } as const;
    const of = { paymentId, disputeId, providerId };
    const takenMicros = (intent.receivedMicros * percent) / 100;
    const feeMicros = isOld || fee === 'none' ? 0 : FEE;
    if (isForeign) tell({ ...inEuros, of: 'disputed' });
    else tell({ ...of, type: 'disputed', amountMicros: takenMicros, feeMicros });
    if (ends === 'lost') return;
    if (asks) tell({ type: 'dispute_dropped', paymentId, disputeId });
    const amountMicros = ends === 'won in part' && !isOld ? takenMicros / 2 : takenMicros;
    const moves = isOld ? {} : { takenMicros, takenFeeMicros: feeMicros, feeMicros: fee === 'returned' ? -FEE : 0 };
    if (isForeign) tell({ ...inEuros, of: 'dispute_won' });
    else tell({ ...of, ...moves, type: 'dispute_won', amountMicros });
  }

  /** Charges that have brought money that we count in. */
  #received(): Intent[] {
    const { intents } = this.#provider;
    return intents.filter((one) => ['paid', 'of another amount'].includes(one.state) && !this.#isTest(one));
  }

  #isTest = ({ paymentId }: Intent): boolean => this.#provider.tests.has(paymentId);
}
