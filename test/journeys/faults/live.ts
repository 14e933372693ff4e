/** What the live fault journeys share: the parts of the page, and the record of what a session went through. */
import type { Page } from '@playwright/test';
import { finalText } from '../playground.ts';
import { expect } from '../fixtures.ts';
import { patiently, stateOf } from './faults.ts';

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const status = (page: Page, word: string) => page.getByRole('status').filter({ hasText: word });
/** Toasts have alerts of their own, elsewhere. */
export const alertOf = (page: Page) => page.getByRole('tabpanel').getByRole('alert');
export const transcript = (page: Page) => page.getByRole('region', { name: 'Live transcript' });
const finals = (page: Page) => transcript(page).locator('[data-details]:not([data-pending])');

export const SOCKET = /\/transcribe-websocket/;
export const KEY = '**/v1/auth/temporary-api-key';

/** Runs a session and waits until something was said and made final; returns that. */
export async function runUntilFinal(page: Page): Promise<string> {
  await button(page, 'Run').click();
  await patiently(transcript(page).locator('[data-details]').first()).toBeVisible();
  await button(page, 'Finalize').click();
  await patiently(finals(page).first()).toBeVisible();
  return finalText(transcript(page));
}

/** What was final is still there, at the beginning of whatever came after. */
export async function expectKept(page: Page, heard: string): Promise<void> {
  expect(heard).not.toBe('');
  expect((await finalText(transcript(page))).startsWith(heard)).toBe(true);
}

/** The page and its chart agree that no session is on, and another may begin. */
export async function expectStopped(page: Page): Promise<void> {
  await patiently(status(page, 'Stopped')).toBeVisible();
  await expect(button(page, 'Run')).toBeEnabled();
  expect(await stateOf(page, 'live')).toMatchObject({ session: 'stopped' });
}

declare global {
  interface Window {
    /** Every state of every session since {@link recordStates}, as JSON. */
    statesOfSessions: string[];
  }
}

/** From here on, remembers what each session goes through. Reads the chart; changes nothing. */
export async function recordStates(page: Page): Promise<void> {
  await page.evaluate(() => {
    const live = window.parlance?.getSnapshot().children.workspace?.getSnapshot().children.playground?.getSnapshot()
      .children.live;
    if (!live) throw new Error('There is no live chart.');
    const states: string[] = [];
    window.statesOfSessions = states;
    const keep = (value: unknown) => {
      const text = JSON.stringify(value);
      if (states.at(-1) !== text) states.push(text);
    };
    const known = new Set<string>();
    live.subscribe(({ children: { stream } }) => {
      if (!stream || known.has(stream.sessionId)) return;
      known.add(stream.sessionId);
      keep(stream.getSnapshot().value);
      const last = () => keep(stream.getSnapshot().value);
      stream.subscribe({ next: ({ value }) => keep(value), complete: last });
    });
  });
}

/** The last states of the sessions so far, oldest first. */
export async function expectStates(page: Page, ...names: string[]): Promise<void> {
  const states = await page.evaluate(() => window.statesOfSessions);
  expect(states.slice(-names.length).map((text) => text.replaceAll(/[{}"]/g, ''))).toEqual(names);
}
