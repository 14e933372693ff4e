import { callbackPlaceholder } from '../placeholder.ts';
import type { AdviceRequest } from '../form/types.ts';

/**
 * Estimates the strength of a form's new password, from the fields `password` or `new_password` and the person's
 * `email`. Answers with `advice.given`, or `advice.failed` if the estimator cannot be loaded.
 */
export const checkPassword = callbackPlaceholder<AdviceRequest>('checkPassword');
