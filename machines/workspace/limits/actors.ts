import type { Limit, LimitIncrease, LimitName } from '#contract/limits.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** An organization, whose `projectUuid` is empty, or one of its projects. */
export type LimitsPlace = { orgUuid: string; projectUuid: string };

/** Limits of a place, and what its organization asked the operator for; of a project, nothing. */
export type LimitsRead = { limits: readonly Limit[]; increases: readonly LimitIncrease[] };

/** What a form is about; `maximum` is the most that can be set here, in the limit's own unit, empty for no bound. */
export type LimitAbout = LimitsPlace & { limit: LimitName; maximum: string };

/** GET /limits/organizations/{orgUuid}/ or /limits/projects/{projectUuid}/. */
export const loadLimits = promisePlaceholder<LimitsRead, LimitsPlace>('loadLimits');
/** PUT of an organization's, POST …/configure/ of a project's; null takes the limit of its own away. */
export const saveLimit = promisePlaceholder<LimitsRead, Submitted<{ value: number | null }, LimitAbout>>('saveLimit');
/** PUT of a project's limits: none of its own is left. */
export const clearLimits = promisePlaceholder<LimitsRead, LimitsPlace>('clearLimits');
/** POST /limits/organizations/{orgUuid}/increase/. */
export const requestIncrease = promisePlaceholder<
  LimitIncrease,
  Submitted<{ value: number; reason: string }, LimitAbout>
>('requestIncrease');
