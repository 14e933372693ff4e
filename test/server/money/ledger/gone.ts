/** What is asked of an organization or project that goes at the same time. */
import { Refusal } from '#server/platform/refusal.ts';
import { Crash } from './fault.ts';
import type { Step } from './steps.ts';

/**
 * Whether a step may end so: its process has, or what it is about was not found, as it went meanwhile.
 * @param at which of the steps
 * @param isGone whether an organization is gone
 */
export function isExpected(
  reason: unknown,
  steps: readonly Step[],
  at: number,
  isGone: (of: 0 | 1) => boolean,
): boolean {
  if (reason instanceof Crash) return true;
  const step = steps[at];
  if (!(reason instanceof Refusal && reason.kind === 'not_found') || step === undefined || !('of' in step))
    return false;
  const isDropped = steps.some(
    (other) => other.do === 'drop' && other.of === step.of && 'project' in step && other.project === step.project,
  );
  return isDropped || isGone(step.of);
}
