// What something will cost, by the prices that the page was given (EST-01, EST-02). What it has cost is for the server to say.
import type { Model } from '#contract/models.ts';
import { costOfAudio } from '#contract/prices.ts';
import type { PriceList } from '#contract/settings.ts';
import type { LiveContext } from './live/setup.ts';

const MS_PER_SECOND = 1000;

/** What a file of that length will cost in micro-USD; null where that is not known, or where it has no price. */
export const estimateOf = (
  prices: PriceList,
  model: Pick<Model, 'id' | 'aliased_model_id'> | null,
  durationMs: number,
): number | null =>
  model === null || durationMs <= 0
    ? null
    : costOfAudio(new Map(Object.entries(prices)), {
        kind: 'async',
        model: model.id,
        behind: model.aliased_model_id ?? model.id,
        audioMs: durationMs,
      });

/** What the seconds of sound that a session has sent cost in micro-USD; null where it has no price. */
export const costSoFar = (
  prices: PriceList,
  { modelId, tally: { soundMs } }: Pick<LiveContext, 'modelId' | 'tally'>,
): number | null =>
  modelId === null
    ? null
    : costOfAudio(new Map(Object.entries(prices)), {
        kind: 'real_time',
        model: modelId,
        // The console offers no aliases.
        behind: modelId,
        audioMs: soundMs - (soundMs % MS_PER_SECOND),
      });
