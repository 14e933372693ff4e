/** What a screen reader is told. */
import type { Page } from '@playwright/test';

/** Roles that say nothing without a name. A picture that adds nothing is hidden instead. */
const NAMED = ['img', 'tablist', 'tab', 'tabpanel', 'radiogroup', 'table', 'timer', 'progressbar', 'meter', 'slider'];
/** Of a line of the tree: its role, and its name where it has one. */
const NODE = /^\s*- '?(?<role>[a-z]+)(?: (?<name>"(?:[^"\\]|\\.)*"))?/;

/** The elements of the accessibility tree that have no name and need one. */
export async function namelessOf(page: Page): Promise<string[]> {
  const tree = await page.locator('body').ariaSnapshot();
  return tree.split('\n').flatMap((line) => {
    const { role = '', name = '' } = NODE.exec(line)?.groups ?? {};
    return NAMED.includes(role) && name === '' ? [line.trim()] : [];
  });
}
