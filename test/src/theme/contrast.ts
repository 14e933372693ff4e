/** Colours of the console's theme, and their contrast. */
import { consoleSystem } from '#src/theme/console.ts';

type Theme = '_light' | '_dark';

/** A colour of the theme as it ends up, references followed. */
export function colour(name: string, theme: Theme): string {
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

export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
