import { callbackPlaceholder } from '../placeholder.ts';
import type { AdviceWanted } from '../form/machine.ts';

/**
 * Judges the new password of a form, from its field `password` or `new_password` and the person's `email`: answers with `advice.given`, or
 * `advice.failed` where the estimator cannot be had.
 */
export const advisePassword = callbackPlaceholder<AdviceWanted>('advisePassword');
