/**
 * Classes of the stylesheet, for plain elements: the first screen comes sooner if Chakra computes the styles of few of its
 * elements while it is drawn. Only `scripts/global-styles.ts` imports this; no script of the console has it.
 */
import { createSystem } from '@chakra-ui/react';
import { asyncStyles } from '../views/playground/async/styles.ts';
import { fieldStyles } from '../views/playground/fields/styles.ts';
import { playgroundStyles } from '../views/playground/styles.ts';
import { shellStyles } from '../views/shell/styles.ts';
import { uiStyles } from '../views/ui/styles.ts';
import { consoleSystem } from './console.ts';
import { forcedColours } from './forcedColours.ts';

const { getRecipeFn, getSlotRecipeFn } = consoleSystem;

/** The classes of a component's parts: `select-root`, `select-field`. */
const partsOf = (name: string, recipe: string): [string, unknown][] =>
  Object.entries(getSlotRecipeFn(recipe)({})).map(([part, styles]) => [`.${name}-${part}`, styles]);

/** The looks of Chakra's components, as of the system: in the layer of recipes, so that what other classes say wins. */
const recipes = (): object =>
  Object.fromEntries([
    ...partsOf('select', 'nativeSelect'),
    ...partsOf('switch', 'switch'),
    ['.textarea', getRecipeFn('textarea')({})],
    ['.kbd-sm', getRecipeFn('kbd')({ size: 'sm' })],
    ...['solid', 'outline', 'ghost'].map((variant) => [
      `.button-${variant}-sm`,
      getRecipeFn('button')({ size: 'sm', variant }),
    ]),
  ]);

/** All classes, as styles that are no more than CSS. */
export function classes(): object {
  const { _config: config } = consoleSystem;
  const { layers, getGlobalCss } = createSystem({
    ...config,
    theme: { ...config.theme, keyframes: {} },
    globalCss: { ...uiStyles, ...shellStyles, ...playgroundStyles, ...fieldStyles, ...asyncStyles, ...forcedColours },
  });
  return { ...recipes(), ...getGlobalCss()[`@layer ${layers.names[1]}`] };
}
