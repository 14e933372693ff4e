/** A class without styles, and styles without an element, show in no type. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { classes } from '#src/theme/classes.ts';

const views = join(projectRoot, 'src', 'views');

/** Classes that libraries or other stylesheets know. */
const FOREIGN = new Set(['notranslate', 'limit', 'loader', 'loader-spinner', 'parts']);

const texts = readdirSync(views, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => readFileSync(join(views, name), 'utf8'));

const used = new Set(
  texts
    .flatMap((text) => [...text.matchAll(/className=(?:"([^"]*)"|\{([^}]*)\})/g)])
    .flatMap(([, plain, code = '']) => plain ?? [...code.matchAll(/'([^']*)'/g)].map(([, name = '']) => name))
    .flatMap((names) => names.split(' '))
    .filter((name) => !FOREIGN.has(name)),
);

const selectorsIn = (styles: object): string[] =>
  Object.entries(styles).flatMap(([key, value]) => (value instanceof Object ? [key, ...selectorsIn(value)] : []));

const styled = new Set(
  selectorsIn(classes()).flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name)),
);

describe('PRF-02: classes of the views', () => {
  it('have styles', () => {
    expect(used.size).toBeGreaterThan(30);
    expect([...used].filter((name) => !styled.has(name))).toEqual([]);
  });

  it('are all that have styles, besides parts of components', () => {
    const parts = /^(?:select|switch)-/;
    expect([...styled].filter((name) => !used.has(name) && !parts.test(name))).toEqual([]);
  });
});
