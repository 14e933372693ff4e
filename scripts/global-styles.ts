/** Writes the global styles of Chakra as a stylesheet. */
import { join } from 'node:path';
import { Global } from '@emotion/react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { classes } from '../src/theme/classes.ts';
import { consoleSystem } from '../src/theme/console.ts';

/** The stylesheet whose content {@link globalStyles} is. */
export const GLOBAL_STYLES = join(import.meta.dirname, '../src/theme/global.css');

/**
 * CSS of the console's style system: the order of layers, the reset, the global styles, the variables, the classes.
 * The system of the public pages has no others.
 */
export function globalStyles(): string {
  const { layers, getPreflightCss, getGlobalCss, getTokenCss } = consoleSystem;
  return [layers.atRule, [getPreflightCss(), getGlobalCss(), getTokenCss()], classes()]
    .map((styles) => renderToStaticMarkup(createElement(Global, { styles: styles as never })))
    .map((markup) => /^<style[^>]*>(.*)<\/style>$/s.exec(markup)?.[1] ?? '')
    .join('\n');
}
