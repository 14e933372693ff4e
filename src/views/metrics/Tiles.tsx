import { SimpleGrid } from '@chakra-ui/react';
import type { Metrics, MetricsLatency } from '#contract/metrics.ts';
import { measuredOf, totalsOf, overallPercentiles } from '#machines/workspace/metrics/figures.ts';
import { formatAudio, formatCount } from '../ui/figures.ts';
import { Figure } from '../ui/Figure.tsx';
import { formatMeasured } from '../ui/usage/lines.ts';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { peakText } from './drawn.ts';
import { formatPercentile, LATENCY_TITLES } from './words.ts';

/** One grid: four counts, below them three percentiles; in two columns the last one is alone in its row. */
export const TILES_GRID = {
  gap: '4',
  columns: { base: 2, md: 4 },
  css: { '& > :last-of-type': { gridColumn: { base: 'span 2', md: 'auto' } } },
} as const;

type Shown = { metrics: Metrics; model: string | null; latency: MetricsLatency };

/** Figures of the whole period. */
export const Tiles = (shown: Shown) => (
  <SimpleGrid as="dl" aria-label="Figures of the period" {...TILES_GRID} order={AFTER_CHART}>
    {tilesOf(shown).map(([name, figure]) => (
      <Figure key={name} name={name}>
        {figure}
      </Figure>
    ))}
  </SimpleGrid>
);

export function tilesOf({ metrics, model, latency }: Shown): [name: string, figure: string][] {
  const measured = measuredOf(metrics, model);
  const { requests, refused, audioMs, errorRate } = totalsOf(measured);
  const percentiles = overallPercentiles(measured, latency);
  const name = LATENCY_TITLES[latency];
  return [
    ['Requests', `${formatCount(requests - refused)}${refused > 0 ? ` + ${formatCount(refused)} refused` : ''}`],
    ['Audio', formatAudio(audioMs)],
    ['Error rate', formatMeasured(errorRate, 'percent')],
    ['Peak streams', peakText(metrics)],
    [`${name} p50`, formatPercentile('p50', percentiles)],
    [`${name} p90`, formatPercentile('p90', percentiles)],
    [`${name} p99`, formatPercentile('p99', percentiles)],
  ];
}
