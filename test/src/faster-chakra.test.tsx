/** What stands in the place of Chakra's own code in the built console must draw the same. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChakraProvider } from '@chakra-ui/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { fasterChakra, SYSTEM_FILE } from '../../scripts/chakra-preset.ts';
import { memo } from '#src/theme/chakra/memo.ts';
import { mergedOnce, recipeOnce, writtenOnce } from '#src/theme/chakra/recipes.ts';
import { isHtmlProp, useResolvedProps } from '#src/theme/chakra/resolvedProps.ts';
import { consoleSystem } from '#src/theme/console.ts';

const folder = dirname(SYSTEM_FILE);
const FILES = ['../utils/memo.js', 'use-resolved-props.js', 'factory.js', 'utility.js', 'token-middleware.js'].map(
  (name) => join(folder, name),
);

describe('PRF-01: the code of Chakra that the build replaces', () => {
  it.each(FILES)('%s is written as expected, and is replaced by what exports the same', (file) => {
    const code = readFileSync(file, 'utf8');
    const exported = (text: string) => /export \{ ([^}]*) \}/.exec(text)?.[1]?.split(', ').toSorted();
    const instead = fasterChakra(file, code) ?? '';
    expect(instead).not.toBe(code);
    expect(exported(instead)).toEqual(exported(code));
  });

  it('fails the build where an upgrade writes it otherwise; all else stays as it is', () => {
    expect(() => fasterChakra(join(folder, 'factory.js'), 'export {}')).toThrow('not as expected');
    expect(fasterChakra(join(folder, 'css.js'), '')).toBeUndefined();
  });
});

describe('memo', () => {
  const remembered = () => {
    const made = vi.fn((...args: unknown[]) => ({ args }));
    return { made, get: memo(made) as (...args: unknown[]) => object };
  };

  it('gives the same result for equal arguments, and makes it once', () => {
    const { made, get } = remembered();
    expect(get({ a: [1, 'x'], b: { c: null } }, 'md')).toBe(get({ a: [1, 'x'], b: { c: null } }, 'md'));
    expect(get('md')).toBe(get('md'));
    expect(made).toHaveBeenCalledTimes(2);
  });

  it.each([
    [['a', 'b'], ['a|b']],
    [['1:a|1:b'], ['a', 'b']],
    [[1], ['1']],
    [[true], ['true']],
    [[null], [undefined]],
    [[['a', 'b']], [['a,1:b']]],
    [[{ a: 'x,b=1:y' }], [{ a: 'x', b: 'y' }]],
    [[{ a: {} }], [{ a: [] }]],
    [[{ color: 'a', bg: 'b' }], [{ bg: 'b', color: 'a' }]],
    [[() => 1], [() => 1]],
  ])('tells %j from %j', (one, other) => {
    const { get } = remembered();
    expect(get(...one)).not.toBe(get(...other));
  });

  it('knows what a remembered function returned without looking into it', () => {
    const { get: inner } = remembered();
    const { made, get: outer } = remembered();
    const result = inner('md');
    const first = outer(result);
    Object.assign(result, { added: 1 });
    expect(outer(result)).toBe(first);
    expect(outer(inner('lg'))).not.toBe(first);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it('works `undefined` out anew, and goes on when it is full', () => {
    const values = [undefined, 'known', 'later'];
    const get = memo(() => values.shift());
    expect([get(), get(), get()]).toEqual([undefined, 'known', 'known']);
    const { get: filled } = remembered();
    for (let index = 0; index < 10_000; index += 1) filled(index);
    expect(filled('last')).toBe(filled('last'));
  });
});

describe('recipes and written styles', () => {
  it('are made once for one configuration of one system, and merged once', () => {
    const [one, other] = [{ base: { color: 'red' } }, { base: { opacity: 1 } }];
    const cva = vi.fn(consoleSystem.cva as never) as unknown as Parameters<typeof recipeOnce>[0];
    const recipe = recipeOnce(cva, one);
    expect(recipeOnce(cva, one)).toBe(recipe);
    expect(recipeOnce(cva, other)).not.toBe(recipe);
    expect(recipeOnce(consoleSystem.cva as never, one)).not.toBe(recipe);
    const merged = mergedOnce(recipe, recipeOnce(cva, other));
    expect(mergedOnce(recipe, recipeOnce(cva, other))).toBe(merged);
    expect((merged as unknown as (props: object) => object)({})).toEqual({
      '@layer recipes': { color: 'red', opacity: 1 },
    });
  });

  it('are written once for one style, and anew with others beside them', () => {
    const style = { color: 'red' };
    expect(writtenOnce([style], {}, {})).toBe(writtenOnce([style], {}, {}));
    expect(writtenOnce([style, { margin: 0 }], {}, {}).styles).toBe('color:red;margin:0;');
    expect(writtenOnce(['color:blue;', style], {}, {}).styles).toBe('color:blue;color:red;');
  });
});

type Resolve = typeof useResolvedProps;
const recipe = consoleSystem.getRecipeFn('button') as unknown as Parameters<Resolve>[1];
const plain = consoleSystem.cva({ base: { color: 'red' } }) as unknown as Parameters<Resolve>[1];
const onlyHtml = (name: string, variantKeys?: readonly string[]) =>
  !variantKeys?.includes(name) && !consoleSystem.isValidProperty(name);

const ELEMENTS: Record<string, unknown>[] = [
  { id: 'x', children: ['a'], onClick: onlyHtml, 'aria-label': 'b' },
  { px: '4', _hover: { bg: 'fg.muted' }, css: { display: 'grid' }, size: 'sm', variant: 'ghost' },
  { css: [{ color: 'fg' }, undefined, [{ bg: 'bg' }]], colorPalette: 'red', orientation: 'vertical' },
  { css: null, unstyled: true, htmlWidth: 3, color: { base: 'red', md: 'blue' } },
];

describe('useResolvedProps', () => {
  it.each(ELEMENTS)('sorts %j as Chakra does', async (props) => {
    const original = (await import(join(folder, 'use-resolved-props.js'))) as {
      useResolvedProps: Resolve;
      isHtmlProp: typeof isHtmlProp;
    };
    const told: unknown[] = [];
    function Asking() {
      for (const [of, forwards] of [
        [recipe, onlyHtml],
        [plain, onlyHtml],
        [recipe, () => true],
        [plain, () => false],
      ] as const)
        told.push([original.useResolvedProps(props, of, forwards), useResolvedProps(props, of, forwards)]);
      return null;
    }
    renderToStaticMarkup(
      <ChakraProvider value={consoleSystem}>
        <Asking />
      </ChakraProvider>,
    );
    expect(told).toHaveLength(4);
    for (const [theirs, own] of told as [unknown, unknown][]) expect(own).toEqual(theirs);
    for (const name of Object.keys(props)) expect(isHtmlProp(name)).toBe(original.isHtmlProp(name));
  });
});
