import type { Limit, LimitIncrease, LimitName } from '#contract/limits.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** An organization, whose `projectUuid` is empty, or one of its projects. */
export type LimitsPlace = { orgUuid: string; projectUuid: string };

/** Limits of a place, and the increases that an organization requested; a project has none. */
export type LimitsRead = { limits: readonly Limit[]; increases: readonly LimitIncrease[] };

/**
 * The limit that a form changes. `maximum` is the largest value that can be set here, in the API's unit; empty for no
 * bound.
 */
export type LimitSubject = LimitsPlace & { limit: LimitName; maximum: string };

/** GET /limits/organizations/{orgUuid}/ or /limits/projects/{projectUuid}/. */
export const loadLimits = promisePlaceholder<LimitsRead, LimitsPlace>('loadLimits');
/** PUT for an organization's limit, POST …/configure/ for a project's; null removes the place's own limit. */
export const saveLimit = promisePlaceholder<LimitsRead, Submitted<{ value: number | null }, LimitSubject>>('saveLimit');
/** PUT for a project: removes all its own limits. */
export const clearLimits = promisePlaceholder<LimitsRead, LimitsPlace>('clearLimits');
/** POST /limits/organizations/{orgUuid}/increase/. */
export const requestIncrease = promisePlaceholder<
  LimitIncrease,
  Submitted<{ value: number; reason: string }, LimitSubject>
>('requestIncrease');
