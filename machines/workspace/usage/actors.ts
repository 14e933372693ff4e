import type { UsageActivity, UsageCost } from '#contract/usage.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';
import type { Range } from './range.ts';

/** A project, or all of an organization that the person may see. */
export type UsageScope = { orgUuid: string; projectUuid: string | null };
export type ChartName = 'cost' | 'activity';
export type Usage = { chart: 'cost'; figures: UsageCost } | { chart: 'activity'; figures: UsageActivity };

/** Today's date in UTC. */
export const readToday = promisePlaceholder<string>('readToday');
/** POST …/usage/cost/ or …/usage/activity/ of the project or the organization. */
export const loadUsage = promisePlaceholder<Usage, { scope: UsageScope; chart: ChartName; range: Range }>('loadUsage');
