// Which limits are worth knowing beside a button.
import type { LimitName, ProjectLimit } from '#contract/limits.ts';
import { shareOf } from '../../workspace/limits/select.ts';
import type { PlaygroundMode } from '../../shared/route.ts';

/** What a beginning counts against. How often one may begin is left out: it is another a second later. */
const COUNTED: Readonly<Record<PlaygroundMode, readonly LimitName[]>> = {
  'real-time': ['concurrent_streams', 'audio_minutes', 'budget_micros'],
  async: ['waiting_jobs', 'stored_bytes', 'audio_minutes', 'budget_micros'],
};

/** The part of a limit above which it is worth knowing how much is taken. */
const WORTH_KNOWING = 0.5;

/** How much of a limit is used and reserved: of the project's, or by all projects of its organization together. */
export type UsageHint = Pick<ProjectLimit, 'name' | 'value' | 'used' | 'reserved' | 'is_reached'> & {
  isOfAll: boolean;
};

/** What is reserved counts as what is used does. */
const takenShare = ({ value, used, reserved }: Pick<UsageHint, 'value' | 'used' | 'reserved'>): number =>
  shareOf({ value, used: used + reserved }) ?? 0;

/** What is used up first keeps the project from more. */
function usageHintOf({ name, is_reached, ...limit }: ProjectLimit): UsageHint {
  const own = { value: limit.value, used: limit.used, reserved: limit.reserved };
  const all = { value: limit.maximum, used: limit.organization_used, reserved: limit.organization_reserved };
  const isOfAll = takenShare(all) > takenShare(own);
  return { name, is_reached, isOfAll, ...(isOfAll ? all : own) };
}

/** What to tell beside Run or Transcribe (EST-04): limits that are reached, or more than half used and reserved. */
export const worthKnowing = (limits: readonly ProjectLimit[], mode: PlaygroundMode): readonly UsageHint[] =>
  limits
    .filter(({ name }) => COUNTED[mode].includes(name))
    .map(usageHintOf)
    .filter((limit) => limit.is_reached || takenShare(limit) > WORTH_KNOWING);
