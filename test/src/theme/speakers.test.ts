import { describe, expect, it } from 'vitest';
import { consoleSystem } from '#src/theme/console.ts';
import { SPEAKERS_DARK, SPEAKERS_LIGHT, speakerColour } from '#src/theme/speakers.ts';

type Theme = '_light' | '_dark';

/** A colour of the theme as it ends up, references followed. */
function colour(name: string, theme: Theme): string {
  const token = consoleSystem.tokens.getByName(`colors.${name}`);
  if (!token) throw new Error(`There is no colour ${name}.`);
  const value = String(token.extensions.conditions?.[theme] ?? token.originalValue);
  const reference = /^\{colors\.(.+)\}$/.exec(value)?.[1];
  if (reference) return colour(reference, theme);
  return value === 'black' ? '#000000' : value;
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(hex: string): number {
  const digits = hex.length === 4 ? hex.replace(/[\da-f]/gi, '$&$&') : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

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
