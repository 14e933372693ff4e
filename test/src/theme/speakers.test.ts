import { describe, expect, it } from 'vitest';
import { consoleSystem } from '#src/theme/console.ts';
import { SPEAKERS_DARK, SPEAKERS_LIGHT, speakerColour } from '#src/theme/speakers.ts';
import { colour, contrast } from './contrast.ts';

describe('speaker colours', () => {
  it('TRN-01: are 25, by speaker number minus one, and begin anew', () => {
    expect(new Set(SPEAKERS_LIGHT).size).toBe(25);
    expect(new Set(SPEAKERS_DARK).size).toBe(25);
    expect(['1', '25', '26', '51', 'A', '0', undefined].map(speakerColour)).toEqual(
      [1, 25, 1, 1, 1, 1, 1].map((number) => consoleSystem.token.var(`colors.speaker.${number}`)),
    );
    expect(colour('speaker.25', '_light')).toBe(SPEAKERS_LIGHT[24]);
    expect(colour('speaker.25', '_dark')).toBe(SPEAKERS_DARK[24]);
  });

  // The panel, and a word that is pointed at, or focused, or being said.
  for (const theme of ['_light', '_dark'] as const) {
    it.each(['bg.panel', 'bg.muted', 'brand.subtle'])(`TRN-01: reach 4.5:1 on %s, ${theme}`, (ground) => {
      const under = colour(ground, theme);
      const ratios = Array.from({ length: 25 }, (_, index) => contrast(colour(`speaker.${index + 1}`, theme), under));
      expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
    });
    it.each([
      ['yellow.fg', 'yellow.subtle'],
      ['yellow.contrast', 'yellow.solid'],
    ])(`a word that is searched for is readable: %s on %s, ${theme}`, (text, ground) => {
      expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
    });
  }
});
