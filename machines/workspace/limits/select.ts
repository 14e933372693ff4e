// Selects limits and their increases, and what can be done about them.
import type { Limit, LimitIncrease, LimitName } from '#contract/limits.ts';
import type { LimitsRead } from './actors.ts';

/** Whose limits they are. */
export type What = 'organization' | 'project';
type PlaceLimits = LimitsRead & { what: What };

export const limitOf = ({ limits }: Pick<PlaceLimits, 'limits'>, name: LimitName | null): Limit | null =>
  limits.find((limit) => limit.name === name) ?? null;

/** The newest requested increase of a limit; null if there is none. */
export const increaseOf = ({ increases }: Pick<PlaceLimits, 'increases'>, name: LimitName): LimitIncrease | null =>
  increases.find(({ limit }) => limit === name) ?? null;

/** Whether the operator can be asked for more: for a limit of an organization with a maximum, one request at a time. */
export const canAsk = (limits: PlaceLimits, name: LimitName): boolean =>
  limits.what === 'organization' &&
  typeof limitOf(limits, name)?.maximum === 'number' &&
  increaseOf(limits, name)?.state !== 'pending';

/** Whether a project has limits of its own. */
export const canClear = ({ what, limits }: Pick<PlaceLimits, 'what' | 'limits'>): boolean =>
  what === 'project' && limits.some(({ own }) => own !== null);

/** Whether the organization's limit is reached, and not the project's own. */
export const isReachedAbove = ({ is_reached, value, used, reserved }: Limit): boolean =>
  is_reached && (value === null || used + reserved < value);
