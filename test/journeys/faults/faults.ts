/**
 * What the fault journeys share: a way in past the form, a microphone whose every track is known, and the charts' own
 * word on where they are.
 */
import type { Page } from '@playwright/test';
import type { TokenPair } from '#contract/session.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { type DemoAccount, demoAccount, storeTokens } from '../account.ts';
import { test as base, expect } from '../fixtures.ts';
import { ConsoleServer, copyTemplate } from '../server.ts';

/** Longer than elsewhere: much of this waits for a recognizer that shares its cores. */
const PATIENCE = 30_000;
export const patiently = expect.configure({ timeout: PATIENCE });

type Fixtures = {
  /** A session of its own for each test. */
  account: DemoAccount;
  /** A page that is signed in, with its microphone watched, and with the root actor in reach. */
  console: Page;
};

export const test = base.extend<Fixtures>({
  account: async ({ server }, use) => use(await demoAccount(server.url)),
  console: async ({ page, account }, use) => {
    await prepare(page, account.tokens);
    await use(page);
  },
});

const directories = new WeakMap<ConsoleServer, string>();

/** Where a killable server keeps its data. */
export function dataOf(server: ConsoleServer): string {
  const directory = directories.get(server);
  if (!directory) throw new Error('This server keeps its directory to itself.');
  return directory;
}

/** The same with a server that may be killed, or stopped: it is brought back for the next test, and waits a second for live sessions. */
export const killable = test.extend<{ standing: void }, { server: ConsoleServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from this pattern
    async ({}, use) => {
      const directory = copyTemplate();
      const server = await ConsoleServer.launch({ directory, settings: { DRAIN_SECONDS: '1' } });
      directories.set(server, directory);
      await use(server);
      await server.dispose();
    },
    { scope: 'worker' },
  ],
  standing: [
    async ({ server }, use) => {
      await use();
      const answer = await fetch(`${server.url}/readyz`).catch(() => undefined);
      if (!answer?.ok) {
        await server.stop('SIGKILL');
        await server.start();
      }
    },
    { auto: true },
  ],
});

declare global {
  interface Window {
    /** As src/main.tsx declares it. */
    parlance?: RootActor;
    /** Every track and context that the page was ever given. */
    heldAudio: { tracks: MediaStreamTrack[]; contexts: AudioContext[] };
  }
}

/** Signs the tab in when it opens first, remembers what sound it holds, and keeps the inspector's window shut. */
export async function prepare(page: Page, tokens: TokenPair): Promise<void> {
  await storeTokens(page, tokens);
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await watchSound(page);
}

/** Remembers in `heldAudio` what sound the page is given. */
export async function watchSound(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const held: Window['heldAudio'] = { tracks: [], contexts: [] };
    window.heldAudio = held;
    const devices = navigator.mediaDevices;
    const ask = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (constraints) => {
      const stream = await ask(constraints);
      held.tracks.push(...stream.getTracks());
      return stream;
    };
    window.AudioContext = class extends AudioContext {
      constructor(options?: AudioContextOptions) {
        super(options);
        held.contexts.push(this);
      }
    };
  });
}

/**
 * Opens a tab of the playground, with the root actor exposed, and waits for what unfolds its panels: that code comes
 * once the first screen stands.
 */
export async function openPlayground(
  page: Page,
  { playground }: DemoAccount,
  mode: 'async' | 'real-time',
): Promise<void> {
  const motion = page.waitForEvent('requestfinished', {
    predicate: (request) => new URL(request.url()).pathname.startsWith('/assets/motion-'),
    timeout: PATIENCE,
  });
  await Promise.all([page.goto(`${playground}?mode=${mode}&inspect`), motion]);
  await patiently(page.getByRole('tab', { name: mode === 'async' ? 'REST API' : 'WebSocket API' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
}

const soundOf = (page: Page) =>
  page.evaluate(() => ({
    given: window.heldAudio.tracks.length,
    live: window.heldAudio.tracks.filter((track) => track.readyState !== 'ended').length,
    running: window.heldAudio.contexts.filter(({ state }) => state === 'running').length,
  }));

/** The page records right now. */
export async function expectMicrophoneHeld(page: Page): Promise<void> {
  await patiently.poll(() => soundOf(page)).toMatchObject({ live: 1, running: 1 });
}

/** Every track that was handed out has ended, and no audio context runs. `given` is how many there were. */
export async function expectMicrophoneReleased(page: Page, given: number): Promise<void> {
  await patiently.poll(() => soundOf(page)).toEqual({ given, live: 0, running: 0 });
}

type Named = 'live' | 'upload' | 'transcription';

/** The value of a chart below the playground's; undefined while there is none. */
export async function stateOf(page: Page, name: Named): Promise<unknown> {
  return page.evaluate((wanted) => {
    const playground = window.parlance
      ?.getSnapshot()
      .children.workspace?.getSnapshot()
      .children.playground?.getSnapshot();
    const sides = playground?.children;
    const actor = wanted === 'live' ? sides?.live : sides?.async?.getSnapshot().children[wanted];
    return actor?.getSnapshot().value;
  }, name);
}

/** Where the root's chart stands, as JSON. */
export const rootState = (page: Page) =>
  page.evaluate(() => {
    const value: unknown = window.parlance?.getSnapshot().value;
    return JSON.stringify(value);
  });
