/** A component whose recipe is missing from the console's system is drawn, but without its looks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSystem } from '@chakra-ui/react';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { consoleSystem } from '#src/theme/console.ts';

const views = join(projectRoot, 'src', 'views');

/** Names that a file takes from Chakra. */
const imported = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '@chakra-ui\/react'/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(' ')[0] ?? ''),
  );

const used = new Set(
  readdirSync(views, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => imported(join(views, name))),
);
const withRecipe = [...used]
  .map((name) => name.charAt(0).toLowerCase() + name.slice(1))
  .filter((key) => defaultSystem.isRecipe(key) || defaultSystem.isSlotRecipe(key));

describe('components of the views', () => {
  it('have their recipes in the console', () => {
    expect(withRecipe.length).toBeGreaterThan(15);
    expect(withRecipe.filter((key) => !consoleSystem.isRecipe(key) && !consoleSystem.isSlotRecipe(key))).toEqual([]);
  });
});
