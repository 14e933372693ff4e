import * as v from 'valibot';
import { LIMITS } from './limits.ts';

/** One problem in a request; `location` is a dotted path such as `body.payload.model`. */
export const ValidationError = v.object({ error_type: v.string(), location: v.string(), message: v.string() });
export type ValidationError = v.InferOutput<typeof ValidationError>;

/** The limit, budget or balance that refused a request, and whose it is. */
export const ReachedLimit = v.object({
  name: v.picklist([...LIMITS, 'balance']),
  of: v.picklist(['organization', 'project']),
});
export type ReachedLimit = v.InferOutput<typeof ReachedLimit>;

/** Each `error_type` of a balance or budget that is used up. */
export const EXHAUSTED = [
  'organization_balance_exhausted',
  'organization_monthly_budget_exhausted',
  'project_monthly_budget_exhausted',
] as const;

/** The balance or budget that each type of {@link EXHAUSTED} is about. */
export const EXHAUSTED_LIMITS = {
  organization_balance_exhausted: { name: 'balance', of: 'organization' },
  organization_monthly_budget_exhausted: { name: 'budget_micros', of: 'organization' },
  project_monthly_budget_exhausted: { name: 'budget_micros', of: 'project' },
} as const satisfies Record<(typeof EXHAUSTED)[number], ReachedLimit>;

/** The body of every error answer, in the main API and the speech API. */
export const ApiError = v.object({
  status_code: v.number(),
  error_type: v.string(),
  message: v.string(),
  validation_errors: v.array(ValidationError),
  request_id: v.string(),
  /** Address of a page about this kind of error. */
  more_info: v.optional(v.string()),
  /** Not in the public protocol. Ignored if another service gives the field another meaning. */
  limit: v.fallback(v.optional(ReachedLimit), undefined),
});
export type ApiError = v.InferOutput<typeof ApiError>;

/** The header that carries the request id of every answer. */
export const REQUEST_ID_HEADER = 'x-request-id';
