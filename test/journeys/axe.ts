/** axe in a page: what it finds there against the standards. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Selectors of what is looked at: `html` is the page as a whole. */
type Parts = { include: string[]; exclude?: string[] };
type Options = { resultTypes: string[]; runOnly?: string[] };

declare global {
  interface Window {
    axe?: {
      run: (parts: Parts, options: Options) => Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
    };
  }
}

/** The violations in some parts of a page, a line each; by the rules of `tags`, or by all that run unasked. */
export async function violationsOf(page: Page, parts: Parts, tags?: string[]): Promise<string[]> {
  // Handing it over takes as long as running it: once for a page that stays.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  return page.evaluate(
    async ({ where, options }: { where: Parts; options: Options }) => {
      if (!window.axe) throw new Error('axe did not arrive.');
      const { violations } = await window.axe.run(where, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    },
    // Of what passes a count is enough.
    { where: parts, options: { resultTypes: ['violations'], ...(tags && { runOnly: tags }) } },
  );
}
