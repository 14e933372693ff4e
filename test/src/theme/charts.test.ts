import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { CHART_COLOURS, chartColour, FAILED_COLOUR, HUES, REST_COLOUR } from '#src/theme/charts.ts';
import { consoleSystem } from '#src/theme/console.ts';
import { colour, contrast } from './contrast.ts';

/** The name of a colour that is written as CSS: `var(--chakra-colors-fg-error)` → `fg.error`. */
const nameOf = (css: string): string => /colors-([\w-]+)\)/.exec(css)?.[1]?.replace('-', '.') ?? css;

describe('UXP-92: the colours of charts', () => {
  it('are blue first, one for each thing, and known to the theme', () => {
    expect(chartColour('main')).toBe(CHART_COLOURS[0]);
    expect(chartColour('async')).toBe(CHART_COLOURS[0]);
    expect(nameOf(chartColour('main'))).toBe('chart.blue');
    expect(new Set(['p50', 'p90', 'p99'].map((name) => chartColour(name as 'p50'))).size).toBe(3);
    expect(chartColour('async')).not.toBe(chartColour('real_time'));
    expect(CHART_COLOURS).toEqual(Object.keys(HUES).map((hue) => consoleSystem.token.var(`colors.chart.${hue}`)));
    expect(new Set(Object.values(HUES).flat()).size).toBe(2 * CHART_COLOURS.length);
  });

  // The panel that a chart stands on, and the step that is pointed at.
  for (const theme of ['_light', '_dark'] as const)
    it.each(['bg.panel', 'bg.emphasized'])(`reach 3:1 on %s, ${theme}`, (ground) => {
      const ratios = [...CHART_COLOURS, FAILED_COLOUR, REST_COLOUR].map((css) => [
        css,
        contrast(colour(nameOf(css), theme), colour(ground, theme)),
      ]);
      expect(ratios.filter(([, ratio]) => Number(ratio) < 3)).toEqual([]);
    });

  it('are not those of speakers, which only transcripts have', () => {
    const views = join(projectRoot, 'src', 'views');
    const ofSpeakers = readdirSync(views, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .filter((name) => /theme\/speakers|['"-]speaker[.-]\d/.test(readFileSync(join(views, name), 'utf8')));
    expect(ofSpeakers.map((name) => name.split('/').slice(0, 2).join('/'))).toEqual(['playground/transcript']);
  });
});
