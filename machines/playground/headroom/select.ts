// Which limits are worth knowing beside a button.
import type { LimitName, ProjectLimit } from '#contract/limits.ts';
import { shareOf } from '../../workspace/limits/select.ts';
import type { PlaygroundMode } from '../../shared/route.ts';

/** What a beginning counts against. How often one may begin is left out: it is another a second later. */
const COUNTED: Readonly<Record<PlaygroundMode, readonly LimitName[]>> = {
  'real-time': ['concurrent_streams', 'audio_minutes', 'budget_micros'],
  async: ['waiting_jobs', 'stored_bytes', 'audio_minutes', 'budget_micros'],
};

/** The part of a limit above which it is worth knowing how much is used. */
const WORTH_KNOWING = 0.5;

/** How much of a limit is used: of the project's, or of what all projects of its organization use together. */
export type Headroom = Pick<ProjectLimit, 'name' | 'value' | 'used' | 'is_reached'> & { isOfAll: boolean };

/** What is used up first keeps the project from more. */
function headroomOf({ name, value, used, maximum, organization_used, is_reached }: ProjectLimit): Headroom {
  const [own, all] = [
    { value, used },
    { value: maximum, used: organization_used },
  ];
  const isOfAll = (shareOf(all) ?? 0) > (shareOf(own) ?? 0);
  return { name, is_reached, isOfAll, ...(isOfAll ? all : own) };
}

/** What to tell beside Run or Transcribe (EST-04): limits that are reached, or more than half used. */
export const worthKnowing = (limits: readonly ProjectLimit[], mode: PlaygroundMode): readonly Headroom[] =>
  limits
    .filter(({ name }) => COUNTED[mode].includes(name))
    .map(headroomOf)
    .filter((limit) => limit.is_reached || (shareOf(limit) ?? 0) > WORTH_KNOWING);
