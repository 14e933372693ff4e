import type { Limit } from '#contract/limits.ts';

/** The used share of a limit, 0 to 1; null if there is no limit. A limit of 0 is used up. */
export const shareOf = ({ value, used }: Pick<Limit, 'value' | 'used'>): number | null =>
  value === null ? null : value === 0 ? 1 : Math.min(used / value, 1);
