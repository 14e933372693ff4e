import type { Account } from '#server/money/ledger/accounts.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import type { TestUser } from '../../harness.ts';
import { isContested, type Happened } from './causes.ts';
import { aboutOf, type ModelProvider } from './provider.ts';
import type { Step } from './steps.ts';

/** Whether it tells of a dispute, or of its bank's question. */
export const isBegin = (event: MoneyEvent): boolean =>
  event.type === 'dispute_opened' || event.type === 'disputed' || (event.type === 'foreign' && event.of === 'disputed');

/** Whether it tells of the end of a dispute or refund that held autopay. */
const isEnd = (event: MoneyEvent): boolean =>
  ['dispute_dropped', 'dispute_won', 'refund_failed'].includes(event.type === 'foreign' ? event.of : event.type);

/** How many such ends were told of an organization. */
export const endsTold = (provider: ModelProvider, { organizationId }: TestUser): number => {
  const ends = new Set(
    provider
      .eventsOf(organizationId)
      .filter(isEnd)
      .map(({ id }) => id),
  );
  return provider.tellings.filter((id) => ends.has(id)).length;
};

/**
 * Disputes, from their bank's question on, that were told for certain, and that nobody has ended or lifted, as far as anybody can tell.
 * @param lifted what was told of them before a reset; of a question, the money that is taken after it holds anew
 */
export function openDisputes(happened: Happened, lifted: ReadonlySet<string>): string[] {
  const { owner, provider, handled } = happened;
  const events = provider.eventsOf(owner.organizationId);
  const over = new Set(
    events.flatMap((event) => (isEnd(event) && provider.told.has(event.id) ? [aboutOf(event)] : [])),
  );
  const gone = new Set(events.flatMap((event) => (lifted.has(event.id) ? [aboutOf(event)] : [])));
  return events
    .filter((event) => isBegin(event) && handled.has(event.id) && !lifted.has(event.id) && !over.has(aboutOf(event)))
    .filter((event) => !gone.has(aboutOf(event)) || isTakenAnew(event, happened))
    .map((event) => `disputed: ${aboutOf(event)}`);
}

const isTakenAnew = (event: MoneyEvent, happened: Happened): boolean =>
  event.type === 'disputed' && !happened.provider.unfit.has(event.id) && !isContested(event, happened);

/** An error that waits for a reset; undefined where there is none. */
export function holdOf({ error_message, error_why }: Account): string | undefined {
  const isHeld = error_message !== null && ['refunded', 'disputed', 'mismatched'].includes(error_why ?? '');
  return isHeld ? (error_why ?? undefined) : undefined;
}

const isResetOf = (step: Step, of: 0 | 1): boolean => step.do === 'reset' && step.of === of;

/** Whether a step may end an error that waits for a reset: its owner resets it, or what it is about may end; the card is always the same. */
export const mayLift = (step: Step, of: 0 | 1, why: string | undefined): boolean =>
  isResetOf(step, of) || (why !== 'mismatched' && ['deliver', 'deliver again', 'reconcile'].includes(step.do));

/** An error that waits for a reset is there until one, or until what it is about has ended. @throws Error */
export function proveHeld(
  before: string | undefined,
  after: string | undefined,
  { steps, of, hasEnd }: { steps: readonly Step[]; of: 0 | 1; hasEnd: boolean },
): void {
  if (before === undefined || after !== undefined || steps.some((step) => isResetOf(step, of))) return;
  if (before === 'mismatched' || !hasEnd)
    throw new Error(`Autopay was ${before}, and is not any more, without a reset.`);
}
