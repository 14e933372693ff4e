/** What the build leaves out of Chakra's preset must be missed by nothing that the console draws. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSystem, type defaultBaseConfig } from '@chakra-ui/react';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import {
  globalStyles,
  PRESET_FILE,
  PROPERTIES_FILE,
  SYSTEM_FILE,
  withoutGlobalStyles,
  withoutUnused,
  withoutUnusedProperties,
  wordsInUse,
} from '../../scripts/chakra-preset.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { consoleSystem } from '#src/theme/console.ts';
import { publicSystem } from '#src/theme/public.ts';

type System = typeof consoleSystem;
type Preset = { defaultBaseConfig: typeof defaultBaseConfig };

/** The console's system as it is in a build that keeps what these words name. */
async function builtWith(words: ReadonlySet<string>): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-preset-'));
  try {
    const code = withoutUnused(readFileSync(PRESET_FILE, 'utf8'), words).replaceAll(
      /from '(\.[^']+)'/g,
      (_, path: string) => `from '${pathToFileURL(join(dirname(PRESET_FILE), path)).href}'`,
    );
    const file = join(folder, 'preset.mjs');
    writeFileSync(file, code);
    const { conditions, utilities } = ((await import(pathToFileURL(file).href)) as Preset).defaultBaseConfig;
    return createSystem({ ...consoleSystem._config, conditions: conditions ?? {}, utilities: utilities ?? {} });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names of attributes and of keys, where style properties and conditions stand. */
function namesIn(folder: string): Set<string> {
  const names = new Set<string>();
  const visitor = new Visitor({
    JSXAttribute: ({ name }) => name.type === 'JSXIdentifier' && names.add(name.name),
    Property: ({ key }) => {
      if (key.type === 'Identifier') names.add(key.name);
      if (key.type === 'Literal' && typeof key.value === 'string') names.add(key.value);
    },
  });
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name)))
    visitor.visit(parseSync(file, readFileSync(join(folder, file), 'utf8')).program);
  return names;
}

const styled = [...namesIn(join(projectRoot, 'src'))].filter((name) => consoleSystem.isValidProperty(name));
/** Of each kind one: a step, a color, words of several properties, a number. */
const VALUES = ['4', 'fg.muted', 'brand.solid/40', 'md', 'outside', 'hidden', 'full', 2];

/** What the system makes of all that the sources name. */
const drawn = (system: System): string[] =>
  styled.flatMap((name) =>
    name.startsWith('_')
      ? [`${name} ${JSON.stringify(system.css({ [name]: { color: 'fg' } } as never))}`]
      : VALUES.map((value) => `${name} ${value} ${JSON.stringify(system.css({ [name]: value } as never))}`),
  );

type Recipe = (props: object) => object;
type Made = Recipe & { variantMap: Record<string, readonly string[]> };

/** What the system makes of each of its recipes, in each of its variants. */
function recipesOf(system: System): string[] {
  const { recipes = {}, slotRecipes = {} } = consoleSystem._config.theme ?? {};
  const variants = (name: string, recipe: Made, styles: (props: object) => unknown) =>
    [
      {},
      ...Object.entries(recipe.variantMap).flatMap(([key, values]) => values.map((value) => ({ [key]: value }))),
    ].map((props) => `${name} ${JSON.stringify(props)} ${JSON.stringify(styles(props))}`);
  return [
    ...Object.keys(recipes).flatMap((name) => {
      const recipe = system.cva(system.getRecipe(name) as never) as unknown as Made;
      return variants(name, recipe, (props) => system.css(recipe(props)));
    }),
    ...Object.keys(slotRecipes).flatMap((name) => {
      const recipe = system.sva(system.getSlotRecipe(name) as never) as unknown as Made;
      return variants(name, recipe, (props) => Object.values(recipe(props)).map((slot: object) => system.css(slot)));
    }),
  ];
}

/** Every variable and property with its value. */
const declarationsIn = (node: object, path = ''): string[] =>
  Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? declarationsIn(value, `${path} ${key}`)
      : [`${path} ${key}: ${value}`],
  );

describe('PRF-02: Chakra’s preset in a build', () => {
  it('draws what the sources name, every recipe in every variant, and the tokens as the whole preset does', async () => {
    const built = await builtWith(wordsInUse());
    expect(styled.length).toBeGreaterThan(100);
    expect(drawn(built)).toEqual(drawn(consoleSystem));
    expect(recipesOf(built).length).toBeGreaterThan(150);
    expect(recipesOf(built)).toEqual(recipesOf(consoleSystem));
    expect(built.getTokenCss()).toEqual(consoleSystem.getTokenCss());
    expect(built.getGlobalCss()).toEqual(consoleSystem.getGlobalCss());
  });

  it('knows the properties of CSS that the console names', async () => {
    const code = readFileSync(PROPERTIES_FILE, 'utf8');
    const knownTo = async (written: string) => {
      const { isCssProperty } = (await import(`data:text/javascript,${encodeURIComponent(written)}`)) as {
        isCssProperty: (name: string) => boolean;
      };
      return styled.filter((name) => isCssProperty(name));
    };
    const all = await knownTo(code);
    expect(all.length).toBeGreaterThan(50);
    const lean = withoutUnusedProperties(code, wordsInUse());
    expect(lean.length).toBeLessThan(code.length / 2);
    expect(await knownTo(lean)).toEqual(all);
  });

  it('says so where an upgrade has written it otherwise', () => {
    expect(() => withoutUnused('export const defaultBaseConfig = {};', new Set())).toThrow('not as expected');
    expect(() => withoutUnusedProperties('', new Set())).toThrow('not as expected');
    expect(() => withoutGlobalStyles('function createSystem() {}')).toThrow('not as expected');
    expect(withoutGlobalStyles(readFileSync(SYSTEM_FILE, 'utf8'))).toContain('const _global = [];');
  });
});

describe('PRF-02: the global styles of a build', () => {
  it('are those of the signed-out pages, too', () => {
    const [reset = {}, base = {}, tokens = {}] = consoleSystem._global as object[];
    const all = new Set([reset, base, tokens].flatMap((styles) => declarationsIn(styles)));
    const missing = (publicSystem()._global as object[])
      .flatMap((styles) => declarationsIn(styles))
      .filter((declaration) => !all.has(declaration));
    expect(missing).toEqual([]);
  });

  it('are a stylesheet with the layers in their order, the reset, both themes and the variables of the tokens', () => {
    const css = globalStyles();
    expect(css).toMatch(/^@layer reset, ?base, ?tokens, ?recipes;/);
    for (const part of [
      '@layer reset{',
      '@layer base{',
      '@layer tokens{',
      '--chakra-colors-brand-600:#1d5fd6',
      '.dark',
      '@keyframes spin',
    ])
      expect(css).toContain(part);
  });
});
