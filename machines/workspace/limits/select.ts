// What can be told of limits, and done about them, as they are.
import type { Limit, LimitIncrease, LimitName } from '#contract/limits.ts';
import type { LimitsRead } from './actors.ts';

/** Whose limits they are. */
export type What = 'organization' | 'project';
type Known = LimitsRead & { what: What };

export const limitOf = ({ limits }: Pick<Known, 'limits'>, name: LimitName | null): Limit | null =>
  limits.find((limit) => limit.name === name) ?? null;

/** The newest wish about one limit; null where there was none. */
export const increaseOf = ({ increases }: Pick<Known, 'increases'>, name: LimitName): LimitIncrease | null =>
  increases.find(({ limit }) => limit === name) ?? null;

/** Whether the operator can be asked: for what an organization cannot set by itself, one wish at a time. */
export const canAsk = (known: Known, name: LimitName): boolean =>
  known.what === 'organization' &&
  typeof limitOf(known, name)?.maximum === 'number' &&
  increaseOf(known, name)?.state !== 'pending';

/** Whether a project has limits of its own. */
export const canClear = ({ what, limits }: Pick<Known, 'what' | 'limits'>): boolean =>
  what === 'project' && limits.some(({ own }) => own !== null);

/** How much of what may be used is: 0 to 1; null where nothing limits it. A limit of 0 is used up. */
export const shareOf = ({ value, used }: Pick<Limit, 'value' | 'used'>): number | null =>
  value === null ? null : value === 0 ? 1 : Math.min(used / value, 1);

/** Whether what keeps a project from more is its organization, and not the limit that is shown. */
export const isReachedAbove = ({ is_reached, value, used, reserved }: Limit): boolean =>
  is_reached && (value === null || used + reserved < value);
