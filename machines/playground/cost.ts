// Cost estimates from the page's price list (EST-01, EST-02). The server fixes the real cost.
import type { Model } from '#contract/models.ts';
import { costOfAudio } from '#contract/prices.ts';
import type { PriceList } from '#contract/settings.ts';
import type { LiveContext } from './live/setup.ts';

const MS_PER_SECOND = 1000;

/** Cost of a file of this length, micro-USD; null if the length is unknown or there is no price. */
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

/** Cost of the whole seconds of sound that a session has sent, micro-USD; null without a price. */
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
