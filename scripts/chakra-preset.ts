/**
 * What of Chakra's style system the build prepares, so that a start has less of it to fetch and to do.
 *
 * Its base preset is one object, with every style property and condition there could be, so that the bundler keeps all of
 * it. The build leaves out what neither the console nor the parts of Chakra that it uses name anywhere. What they use is
 * read from the sources, so there is no list to maintain.
 *
 * Where it is slow, its code is replaced (`src/theme/chakra`).
 *
 * Its global styles (the reset, the variables of the tokens) never change; they come as a stylesheet.
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
/** The names of all properties of CSS, by which Chakra tells a style from an attribute. */
export const PROPERTIES_FILE = join(realpathSync(join(root, 'node_modules/@pandacss/is-valid-prop')), 'dist/index.mjs');
/** The sources of global styles, which nobody asks for once these are made. */
export const STYLE_FILES: Readonly<Record<string, string>> = {
  [join(chakra, 'styled-system/preflight.js')]: 'export const createPreflight = () => ({});',
  [join(chakra, 'theme/global-css.js')]: 'export const globalCss = {};',
};
/** A module of the console as another imports it. */
const own = (file: string): string => join(root, file).replaceAll('\\', '/');

/** What of Chakra's own code the console has written anew, faster: the module, and what stands in its place. */
const REPLACED: Readonly<Record<string, string>> = {
  [join(chakra, 'utils/memo.js')]: `export { memo } from '${own('src/theme/chakra/memo.ts')}';`,
  [join(chakra, 'styled-system/use-resolved-props.js')]:
    `export { isHtmlProp, useResolvedProps } from '${own('src/theme/chakra/resolvedProps.ts')}';`,
};

/** Lines of Chakra's code, and what the build writes instead: what is worked out again and again, or for nobody. */
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
  // The types of a code generator.
  [join(chakra, 'styled-system/utility.js')]: [['    assignPropertyTypes();\n', '']],
  // It looks through all tokens for each that is removed.
  [join(chakra, 'styled-system/token-middleware.js')]: [
    [
      '    removed.forEach((token) => {',
      '    const named = new Map(next.toReversed().map((token) => [token.name, token]));\n    removed.forEach((token) => {',
    ],
    ['dictionary.allTokens.find(\n        (t) => t.name === token.name\n      )', 'named.get(token.name)'],
  ],
};

/**
 * The code of a module of Chakra as the build has it; undefined for what stays as it is.
 * @throws Error where it is written otherwise, as after an upgrade
 */
export function fasterChakra(file: string, code: string): string | undefined {
  const changes = CHANGED[file];
  if (!changes) return REPLACED[file];
  return changes.reduce((changed, [written, instead]) => {
    if (!changed.includes(written)) throw new Error(`${file} is written otherwise than expected.`);
    return changed.replace(written, () => instead);
  }, code);
}

/** Empty until a build writes {@link globalStyles} into it. */
export const GLOBAL_STYLES = join(root, 'src/theme/global.css');

const textsIn = (folder: string, name: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/** The files of the recipes that the theme names: `alertSlotRecipe` is in `alert.js`. */
function recipes(theme: string): string[] {
  const named = new Set([...theme.matchAll(/\b(\w+?)(?:Slot)?Recipe\b/g)].map(([, name = '']) => name.toLowerCase()));
  const folder = join(chakra, 'theme/recipes');
  return readdirSync(folder)
    .filter((file) => named.has(file.replace(/\.js$/, '').replaceAll('-', '')))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** Every word of the sources that can name a style property or a condition (`_hover`). */
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
  if (node?.type !== 'ObjectExpression') throw new Error('The preset of Chakra is written otherwise than expected.');
  return node.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier'
      ? [{ name: property.key.name, value: property.value, start: property.start, end: property.end }]
      : [],
  );
}

/**
 * The code of the preset without the style properties and conditions that are not in use.
 * @throws Error where it cannot be read, as after an upgrade that writes it otherwise
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
  /** A style property by its name, or a shorter one. */
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

/** The code that knows the properties of CSS, with those that are in use. @throws Error where it is written otherwise, as after an upgrade */
export function withoutUnusedProperties(code: string, inUse: ReadonlySet<string>): string {
  if (!PROPERTIES.test(code)) throw new Error('The properties of CSS are written otherwise than expected.');
  return code.replace(PROPERTIES, (names) =>
    names
      .split(',')
      .filter((name) => inUse.has(name))
      .join(','),
  );
}

/**
 * The global styles of the console's system, which has all that the system of the public pages has: what Chakra would
 * write into the page at each start.
 */
export function globalStyles(): string {
  const { layers, _global } = consoleSystem;
  return [layers.atRule, _global]
    .map((styles) => renderToStaticMarkup(createElement(Global, { styles: styles as never })))
    .map((markup) => /^<style[^>]*>(.*)<\/style>$/s.exec(markup)?.[1] ?? '')
    .join('\n');
}

const MADE_AT_START = 'const _global = [getPreflightCss(), getGlobalCss(), getTokenCss()];';

/** The code of `createSystem` without the global styles. @throws Error where it is written otherwise, as after an upgrade */
export function withoutGlobalStyles(code: string): string {
  if (!code.includes(MADE_AT_START)) throw new Error('createSystem of Chakra is written otherwise than expected.');
  return code.replace(MADE_AT_START, 'const _global = [];');
}
