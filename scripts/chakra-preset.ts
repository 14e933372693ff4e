/**
 * Reduces Chakra's style system in the build, so that a page fetches and runs less of it at the start.
 *
 * - Its base preset is one object with every style property and condition, so a bundler keeps all of it. The build
 *   leaves out those that neither the console's sources nor the used parts of Chakra name.
 * - Slow code is replaced by `src/theme/chakra`.
 * - Its global styles (the reset, the variables of the tokens) never change, so they become a stylesheet.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Global } from '@emotion/react';
import { type Node, parseSync } from 'oxc-parser';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { consoleSystem } from '../src/theme/console.ts';

const root = join(import.meta.dirname, '..');
const chakra = join(realpathSync(join(root, 'node_modules/@chakra-ui/react')), 'dist/esm');

export const PRESET_FILE = join(chakra, 'preset-base.js');
export const SYSTEM_FILE = join(chakra, 'styled-system/system.js');
/** Names all CSS properties; by these Chakra tells styles from attributes. */
export const PROPERTIES_FILE = join(realpathSync(join(root, 'node_modules/@pandacss/is-valid-prop')), 'dist/index.mjs');
/** Sources of the global styles, and what replaces them once the stylesheet is made. */
export const STYLE_FILES: Readonly<Record<string, string>> = {
  [join(chakra, 'styled-system/preflight.js')]: 'export const createPreflight = () => ({});',
  [join(chakra, 'theme/global-css.js')]: 'export const globalCss = {};',
};
/** The path by which another module imports a module of the console. */
const own = (file: string): string => join(root, file).replaceAll('\\', '/');

/** Modules of Chakra, and the faster code that replaces each. */
const REPLACED: Readonly<Record<string, string>> = {
  [join(chakra, 'utils/memo.js')]: `export { memo } from '${own('src/theme/chakra/memo.ts')}';`,
  [join(chakra, 'styled-system/use-resolved-props.js')]:
    `export { isHtmlProp, useResolvedProps } from '${own('src/theme/chakra/resolvedProps.ts')}';`,
};

/** Lines of Chakra's code that compute something repeatedly or in vain, and what the build writes instead. */
const CHANGED: Readonly<Record<string, readonly (readonly [written: string, instead: string])[]>> = {
  [join(chakra, 'styled-system/factory.js')]: [
    [
      `import { serializeStyles } from '@emotion/serialize';`,
      `import { mergedOnce, recipeOnce, writtenOnce } from '${own('src/theme/chakra/recipes.ts')}';`,
    ],
    [
      'configOrCva.__cva__ ? configOrCva : cva(configOrCva)',
      'configOrCva.__cva__ ? configOrCva : recipeOnce(cva, configOrCva)',
    ],
    [
      '!tag.__emotion_cva.__cva__ ? cva(tag.__emotion_cva)',
      '!tag.__emotion_cva.__cva__ ? recipeOnce(cva, tag.__emotion_cva)',
    ],
    ['return cvaA.merge(cvaB);', 'return mergedOnce(cvaA, cvaB);'],
    ['const serialized = serializeStyles(', 'const serialized = writtenOnce('],
  ],
  // Only a code generator needs these types.
  [join(chakra, 'styled-system/utility.js')]: [['    assignPropertyTypes();\n', '']],
  // It searches all tokens for each removed one.
  [join(chakra, 'styled-system/token-middleware.js')]: [
    [
      '    removed.forEach((token) => {',
      '    const named = new Map(next.toReversed().map((token) => [token.name, token]));\n    removed.forEach((token) => {',
    ],
    ['dictionary.allTokens.find(\n        (t) => t.name === token.name\n      )', 'named.get(token.name)'],
  ],
};

/**
 * The code of a Chakra module with our changes; undefined if it stays as it is.
 * @throws Error if its code is not as expected, as after an upgrade
 */
export function fasterChakra(file: string, code: string): string | undefined {
  const changes = CHANGED[file];
  if (!changes) return REPLACED[file];
  return changes.reduce((changed, [written, instead]) => {
    if (!changed.includes(written)) throw new Error(`The code of ${file} is not as expected.`);
    return changed.replace(written, () => instead);
  }, code);
}

/** The stylesheet that the build fills with {@link globalStyles}; empty in the sources. */
export const GLOBAL_STYLES = join(root, 'src/theme/global.css');

const textsIn = (folder: string, name: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/** The texts of the recipe files that the theme names: `alertSlotRecipe` is in `alert.js`. */
function recipes(theme: string): string[] {
  const named = new Set([...theme.matchAll(/\b(\w+?)(?:Slot)?Recipe\b/g)].map(([, name = '']) => name.toLowerCase()));
  const folder = join(chakra, 'theme/recipes');
  return readdirSync(folder)
    .filter((file) => named.has(file.replace(/\.js$/, '').replaceAll('-', '')))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** All words of the sources in which a style property or a condition (`_hover`) can be named. */
export function wordsInUse(): ReadonlySet<string> {
  const theme = textsIn(join(root, 'src/theme'), /\.ts$/).join('\n');
  const texts = [
    theme,
    ...textsIn(join(root, 'src/views'), /\.tsx?$/),
    ...textsIn(join(root, 'src/routes'), /\.tsx?$/),
    ...textsIn(join(root, 'src/inspector'), /\.tsx?$/),
    ...recipes(theme),
    ...textsIn(join(chakra, 'theme'), /^[\w-]+-styles?\.js$|^global-css\.js$/),
    ...textsIn(join(chakra, 'components'), /\.js$/),
  ];
  return new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
}

type Property = { name: string; value: Node; start: number; end: number };

function propertiesOf(node: Node | undefined): Property[] {
  if (node?.type !== 'ObjectExpression') throw new Error("The code of Chakra's preset is not as expected.");
  return node.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier'
      ? [{ name: property.key.name, value: property.value, start: property.start, end: property.end }]
      : [],
  );
}

/**
 * The code of the preset without unused style properties and conditions.
 * @throws Error if its code is not as expected, as after an upgrade
 */
export function withoutUnused(code: string, inUse: ReadonlySet<string>): string {
  const { program } = parseSync(PRESET_FILE, code, { lang: 'js', sourceType: 'module' });
  const definitionOf = (name: string): Property[] => {
    const declared = program.body
      .flatMap((statement) => (statement.type === 'VariableDeclaration' ? statement.declarations : []))
      .find(({ id }) => id.type === 'Identifier' && id.name === name)?.init;
    return propertiesOf(declared?.type === 'CallExpression' ? declared.arguments[0] : undefined);
  };
  const utilities = propertiesOf(definitionOf('defaultBaseConfig').find(({ name }) => name === 'utilities')?.value);
  /** The name of a style property, and its shorthands. */
  const namesOf = ({ name, value }: Property): string[] => {
    const short = value.type === 'ObjectExpression' && propertiesOf(value).find((part) => part.name === 'shorthand');
    return [name, ...(short ? (code.slice(short.value.start, short.value.end).match(/\w+/g) ?? []) : [])];
  };
  const unused = [
    ...definitionOf('defaultConditions').filter(({ name }) => !inUse.has(`_${name}`)),
    ...utilities.filter((utility) => !namesOf(utility).some((name) => inUse.has(name))),
  ];
  return unused
    .toSorted((a, b) => b.start - a.start)
    .reduce((kept, { start, end }) => kept.slice(0, start) + kept.slice(end).replace(/^\s*,/, ''), code);
}

const PROPERTIES = /(?<=cssPropertiesStr = ")[^"]+(?=")/;

/** The code with the list of CSS properties, reduced to used ones. @throws Error if it is not as expected */
export function withoutUnusedProperties(code: string, inUse: ReadonlySet<string>): string {
  if (!PROPERTIES.test(code)) throw new Error('The list of CSS properties is not as expected.');
  return code.replace(PROPERTIES, (names) =>
    names
      .split(',')
      .filter((name) => inUse.has(name))
      .join(','),
  );
}

/** The global styles that Chakra would write into the page at each start. The public pages' system needs no others. */
export function globalStyles(): string {
  const { layers, _global } = consoleSystem;
  return [layers.atRule, _global]
    .map((styles) => renderToStaticMarkup(createElement(Global, { styles: styles as never })))
    .map((markup) => /^<style[^>]*>(.*)<\/style>$/s.exec(markup)?.[1] ?? '')
    .join('\n');
}

const MADE_AT_START = 'const _global = [getPreflightCss(), getGlobalCss(), getTokenCss()];';

/** The code of `createSystem` without the global styles. @throws Error if it is not as expected */
export function withoutGlobalStyles(code: string): string {
  if (!code.includes(MADE_AT_START)) throw new Error("The code of Chakra's createSystem is not as expected.");
  return code.replace(MADE_AT_START, 'const _global = [];');
}
