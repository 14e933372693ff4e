/** What the playground's journeys share. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator } from '@playwright/test';
import { wordErrorRate } from '#test/audio/wer.ts';
import { enter, expect, type Page } from './fixtures.ts';

export const clip = (name: string): string => fileURLToPath(new URL(`../audio/${name}`, import.meta.url));

type Clip = { filename: string; text: string };
const clips: Clip[] = JSON.parse(readFileSync(clip('clips.json'), 'utf8'));
const samples: Clip[] = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../server/samples/samples.json', import.meta.url)), 'utf8'),
);

/** What is said in a clip or a sample. */
export function spoken(filename: string): string {
  const found = [...clips, ...samples].find((candidate) => candidate.filename === filename);
  if (!found) throw new Error(`Nobody knows what is said in ${filename}.`);
  return found.text;
}

const TABS = { async: 'REST API', 'real-time': 'WebSocket API' } as const;

/** Opens a tab of the playground as the demo account, signed in past the form. */
export async function openTab(page: Page, mode: 'async' | 'real-time'): Promise<void> {
  const { playground } = await enter(page);
  await page.goto(`${playground}?mode=${mode}`);
  await expect(page.getByRole('tab', { name: TABS[mode] })).toHaveAttribute('aria-selected', 'true');
}

/** The words on show that are final, without headings and marks. */
export async function finalText(transcript: Locator): Promise<string> {
  const words = await transcript.locator('[data-details]:not([data-pending])').allTextContents();
  return words.join(' ');
}

/** Settles on less than one wrong word in ten, within `timeout` milliseconds. */
export async function expectSpoken(transcript: Locator, reference: string, timeout = 90_000): Promise<void> {
  await expect.poll(async () => wordErrorRate(reference, await finalText(transcript)), { timeout }).toBeLessThan(0.1);
}

/** Slows sending down, so that progress can be seen, until what this returns is called. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const set = async (uploadThroughput: number) => {
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  };
  await set(bytesPerSecond);
  return () => set(-1);
}
