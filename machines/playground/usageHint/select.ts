import type { LimitName, ProjectLimit } from '#contract/limits.ts';
import { shareOf } from '../../shared/limitShare.ts';
import type { PlaygroundMode } from '../../shared/route.ts';

/** Limits that count when something begins. Rate limits are left out, because they change every second. */
const COUNTED: Readonly<Record<PlaygroundMode, readonly LimitName[]>> = {
  'real-time': ['concurrent_streams', 'audio_minutes', 'budget_micros'],
  async: ['waiting_jobs', 'stored_bytes', 'audio_minutes', 'budget_micros'],
};

/** The share of a limit above which there is a hint. */
const WORTH_KNOWING = 0.5;

/** Usage of a limit, by the project or (`isOfAll`) by all projects of its organization. */
export type UsageHint = Pick<ProjectLimit, 'name' | 'value' | 'used' | 'reserved' | 'is_reached'> & {
  isOfAll: boolean;
};

/** The share of a limit that is used or reserved. */
const takenShare = ({ value, used, reserved }: Pick<UsageHint, 'value' | 'used' | 'reserved'>): number =>
  shareOf({ value, used: used + reserved }) ?? 0;

/** The hint for the project's or the organization's limit, whichever is used more. */
function usageHintOf({ name, is_reached, ...limit }: ProjectLimit): UsageHint {
  const own = { value: limit.value, used: limit.used, reserved: limit.reserved };
  const all = { value: limit.maximum, used: limit.organization_used, reserved: limit.organization_reserved };
  const isOfAll = takenShare(all) > takenShare(own);
  return { name, is_reached, isOfAll, ...(isOfAll ? all : own) };
}

/** Hints beside Run or Transcribe (EST-04): limits that are reached, or more than half used or reserved. */
export const worthKnowing = (limits: readonly ProjectLimit[], mode: PlaygroundMode): readonly UsageHint[] =>
  limits
    .filter(({ name }) => COUNTED[mode].includes(name))
    .map(usageHintOf)
    .filter((limit) => limit.is_reached || takenShare(limit) > WORTH_KNOWING);
