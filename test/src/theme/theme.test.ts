import { createSystem, defineConfig, mergeConfigs } from '@chakra-ui/react';
import { tokens as chakraTokens } from '@chakra-ui/react/theme';
import { describe, expect, it } from 'vitest';
import { baseConfigs } from '#src/theme/base.ts';
import { consoleSystem } from '#src/theme/console.ts';
import { publicSystem } from '#src/theme/public.ts';
import { publicTokens } from '#src/theme/tokens.ts';

/** Every token beneath, by its path: `colors.gray.50`. */
function flat(node: object, path = ''): [string, string][] {
  if ('value' in node && (typeof node.value === 'string' || typeof node.value === 'number'))
    return [[path, `${node.value}`]];
  return Object.entries(node).flatMap(([name, below]) =>
    typeof below === 'object' && below !== null ? flat(below, path ? `${path}.${name}` : name) : [],
  );
}

/** Everything that a text of the configuration refers to: `{colors.gray.50}`. */
const referencesIn = (config: unknown): string[] => [
  ...new Set(
    [...JSON.stringify(config).matchAll(/\{((?:colors|sizes|spacing|radii|shadows)\.[\w.]+)(?:\/\d+)?\}/g)].map(
      ([, name = '']) => name,
    ),
  ),
];

describe('the tokens of the signed-out pages', () => {
  it('have the values that Chakra gives them', () => {
    const chakra = new Map(flat(chakraTokens));
    for (const [name, value] of flat(publicTokens)) expect([name, value]).toEqual([name, chakra.get(name)]);
  });

  it('hold whatever the theme refers to', () => {
    const missing = referencesIn(baseConfigs).filter((name) => publicSystem().tokens.getByName(name) === undefined);
    expect(missing).toEqual([]);
  });

  const withAll = createSystem(mergeConfigs(defineConfig({ theme: { tokens: chakraTokens } }), ...baseConfigs));

  it.each(['button', 'heading', 'input', 'link', 'spinner'])(
    'make a %s look as it does with all of Chakra’s tokens',
    (recipe) => {
      const variants = (system: ReturnType<typeof publicSystem>) => {
        const made = system.cva(system.getRecipe(recipe) as never);
        return [...made.variantKeys].flatMap(
          (key) =>
            (made.variantMap as Record<string, string[]>)[key]?.map((value) =>
              system.css(made({ [key]: value } as never)),
            ) ?? [],
        );
      };
      expect(variants(publicSystem()).length).toBeGreaterThan(0);
      expect(variants(publicSystem())).toEqual(variants(withAll));
    },
  );

  it('make the page itself look so', () => {
    expect(publicSystem().getGlobalCss()).toEqual(withAll.getGlobalCss());
  });
});

/** Everything that a recipe says of how long something moves, by where it says it. */
function motions(node: unknown, path: string): [string, string][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, below]: [string, unknown]) =>
    typeof below === 'string' && /^(--.+-duration|(animation|transition)(Duration)?)$/.test(name)
      ? [[`${path}.${name}`, below] as [string, string]]
      : motions(below, `${path}.${name}`),
  );
}

/** Milliseconds; empty where a text gives no time. */
function timesIn(text: string): number[] {
  const resolved = consoleSystem.tokens.getByName(`durations.${text}`)?.value ?? text;
  return [...String(resolved).matchAll(/(\d*\.?\d+)(ms|s)\b/g)].map(
    ([, amount, unit]) => Number(amount) * (unit === 's' ? 1000 : 1),
  );
}

describe('the look of every page', () => {
  it.each([
    ['signed out', publicSystem()],
    ['the console', consoleSystem],
  ])('SHL-13: primary blue, Inter and corners of 12 px: %s', (_, system) => {
    const token = (name: string) => system.tokens.getByName(name);
    expect([token('radii.l2')?.value, token('radii.l3')?.value]).toEqual(['12px', '12px']);
    for (const font of ['body', 'heading']) expect(token(`fonts.${font}`)?.value).toMatch(/^'Inter Variable',/);
    expect(system._config.globalCss?.['html']).toMatchObject({ colorPalette: 'brand' });
    for (const mode of ['_light', '_dark']) {
      const shade = String(token('colors.brand.solid')?.extensions['conditions']?.[mode]).slice(1, -1);
      const [red = 0, green = 0, blue = 0] = (String(token(shade)?.value).match(/[\da-f]{2}/g) ?? []).map((two) =>
        parseInt(two, 16),
      );
      expect(blue).toBeGreaterThan(1.5 * Math.max(red, green));
    }
  });
});

describe('what moves', () => {
  const { recipes, slotRecipes } = consoleSystem._config.theme ?? {};
  const said = [...motions(recipes, 'recipes'), ...motions(slotRecipes, 'slotRecipes')];
  /** Goes on until something is there; and what is asked of a variable is listed as the variable. */
  const isEndless = ([path, value]: [string, string]) =>
    path.startsWith('recipes.spinner.') || path.includes('.skeleton.variants.variant.') || value.includes('infinite');

  it('UXP-62: takes 150 to 200 ms, but for what goes on until something is there', () => {
    const passing = said.filter((motion) => !isEndless(motion) && !motion[1].includes('var('));
    expect(passing.length).toBeGreaterThan(10);
    const others = passing.filter(([, value]) => timesIn(value).some((ms) => ms < 150 || ms > 200));
    expect(others).toEqual([]);
  });
});
