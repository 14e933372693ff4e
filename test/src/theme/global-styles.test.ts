/** The stylesheet has what Chakra would insert into every page. */
import { describe, expect, it } from 'vitest';
import { globalStyles } from '../../../scripts/global-styles.ts';
import { consoleSystem } from '#src/theme/console.ts';
import { publicSystem } from '#src/theme/public.ts';

const stylesOf = (system: typeof consoleSystem): object[] => [
  system.getPreflightCss(),
  system.getGlobalCss(),
  system.getTokenCss(),
];

/** Every variable and property with its value. */
const declarationsIn = (node: object, path = ''): string[] =>
  Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? declarationsIn(value, `${path} ${key}`)
      : [`${path} ${key}: ${value}`],
  );

describe('PRF-02: the global styles of a build', () => {
  it('are those of the signed-out pages, too', () => {
    const all = new Set(stylesOf(consoleSystem).flatMap((styles) => declarationsIn(styles)));
    const missing = stylesOf(publicSystem())
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
