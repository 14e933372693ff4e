// Which limits are worth knowing beside a button, and which one a refusal was about.
import type { Limit, LimitName } from '#contract/limits.ts';
import { shareOf } from '../../workspace/limits/select.ts';
import type { PlaygroundMode } from '../../shared/route.ts';

/** What a beginning counts against. How often one may begin is left out: it is another a second later. */
const COUNTED: Readonly<Record<PlaygroundMode, readonly LimitName[]>> = {
  'real-time': ['concurrent_streams', 'audio_minutes', 'budget_micros'],
  async: ['waiting_jobs', 'stored_bytes', 'audio_minutes', 'budget_micros'],
};

/** The part of a limit above which it is worth knowing how much is used. */
const WORTH_KNOWING = 0.5;

/** The limits to tell beside Run or Transcribe (EST-04): those that are reached, or more than half used. */
export const worthKnowing = (limits: readonly Limit[], mode: PlaygroundMode): readonly Limit[] =>
  limits.filter(
    (limit) => COUNTED[mode].includes(limit.name) && (limit.is_reached || (shareOf(limit) ?? 0) > WORTH_KNOWING),
  );

export type Obstacle = { what: 'balance' } | { what: 'limit'; limit: LimitName; whose: 'organization' | 'project' };

/** By what the public API says of a limit. */
const SAID: readonly (readonly [RegExp, LimitName])[] = [
  [/^rate limit for your/i, 'requests_per_minute'],
  [/max number of concurrent requests/i, 'concurrent_streams'],
  [/pending transcriptions/i, 'waiting_jobs'],
  [/bytes together/i, 'stored_bytes'],
  [/minutes of audio/i, 'audio_minutes'],
];

type Refusal = { errorType?: string | undefined; message: string };

/** What of money or limits kept something from beginning (EST-05); null where it was something else. */
export function obstacleOf({ errorType, message }: Refusal): Obstacle | null {
  const [, budgetOf] = /^(organization|project)_monthly_budget_exhausted$/.exec(errorType ?? '') ?? [];
  if (budgetOf === 'organization' || budgetOf === 'project')
    return { what: 'limit', limit: 'budget_micros', whose: budgetOf };
  if (errorType === 'organization_balance_exhausted') return { what: 'balance' };
  const limit = SAID.find(([words]) => words.test(message))?.[1];
  if (limit === undefined) return null;
  return { what: 'limit', limit, whose: /\borganization\b/i.test(message) ? 'organization' : 'project' };
}
