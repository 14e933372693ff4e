/** One screen in one state, and how to get there. */
import { expect, type Page } from '@playwright/test';
import type { World } from './world.ts';

export const STATES = ['real data', 'long names', 'empty', 'loading', 'error'] as const;
export type State = (typeof STATES)[number] | 'open';

export type Scene = {
  /** What the picture is called, together with its state. */
  screen: string;
  state: State;
  /** Who is signed in; nobody for the public screens. */
  who: keyof Omit<World, 'tokens'> | null;
  /** Opens it in a page of its own, and resolves when it has come to rest. */
  open: (page: Page, world: World) => Promise<void>;
  /** The same where the scene before it has just been looked at; undefined where that is of no use. */
  goOn?: (page: Page, world: World) => Promise<void>;
};

/** Once the screen has the frame of the console around it, or is a public one. */
export async function framed(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeAttached();
  await expect(page.getByRole('heading', { name: 'Loading…' })).toHaveCount(0);
}

/** Once nothing is on its way any more. */
export async function settle(page: Page): Promise<void> {
  await framed(page);
  // A public screen whose own part is still being fetched.
  await expect(page.getByText('Loading…', { exact: true })).toHaveCount(0);
  await expect(page.locator('[role=status][aria-label^="Loading"], [aria-busy=true]')).toHaveCount(0);
}
