import { callbackPlaceholder } from '../placeholder.ts';
import type { AdviceRequest } from '../form/types.ts';

/**
 * Judges the new password of a form, from its field `password` or `new_password` and the `email` of the person whom it is about: answers with `advice.given`, or
 * `advice.failed` where the estimator cannot be had.
 */
export const checkPassword = callbackPlaceholder<AdviceRequest>('checkPassword');
