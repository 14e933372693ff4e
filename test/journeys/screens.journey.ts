import type { Page } from 'playwright';
import { faintControls } from '../gallery/contrast.ts';
import { type Looks, looksOf } from '../gallery/evenness.ts';
import { layoutFaults } from '../gallery/layout.ts';
import { namelessOf } from '../gallery/reading.ts';
import type { Scene } from '../gallery/scene.ts';
import { scenesOf } from '../gallery/scenes.ts';
import { shiftsOf, watchShifts } from '../gallery/shifts.ts';
import { storeTokens } from './account.ts';
import { violationsOf } from './axe.ts';
import { test } from './billed.ts';
import { isGate } from '../suites.ts';
import { expect, restOf, showIn, watch } from './fixtures.ts';
import { translate } from './translator.ts';

/** Standards that axe knows rules for; those of WCAG 2.2 (target size) it leaves out unless asked. */
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Each theme at one width, the most and the least that a screen is given; the gate takes one look. */
const LOOKS = (
  [
    { colorScheme: 'light', width: 1440, height: 900 },
    { colorScheme: 'dark', width: 320, height: 740 },
  ] as const
).slice(0, isGate ? 1 : 2);

// What the browser itself says of links that are known by nobody, and of failures that are made up here.
test.use({ allowed: [/status of (40[0-9]|500)/] });
test.describe.configure({ mode: 'parallel' });

/** Calls of the frame around a screen: it is the same on all screens of a group, so they take their time on the first. */
const FRAME = /\/api\/v2\/(token\/|user\/$|user\/organizations\/)/;

const inUse = ({ state, who }: Scene): boolean => state === 'real data' && who !== null;
const GROUPS: Record<string, (scene: Scene, index: number) => boolean> = {
  'the public screens @gate': ({ who, state }) => who === null && state !== 'open',
  'every other screen of a place in use @gate': (scene, index) => inUse(scene) && index % 2 === 0,
  'the other screens of a place in use @gate': (scene, index) => inUse(scene) && index % 2 === 1,
  'every screen with the longest names, in three scripts': ({ state }) => state === 'long names',
  'every screen of a place just made': ({ state }) => state === 'empty',
  'every screen while it loads': ({ state }) => state === 'loading',
  'every screen whose calls fail': ({ state }) => state === 'error',
  'what opens over a screen': ({ state }) => state === 'open',
};

for (const [what, isOf] of Object.entries(GROUPS))
  test(`nothing is wrong with the looks of ${what}`, async ({ browser, server, world, allowed }) => {
    test.setTimeout(600_000);
    const scenes = scenesOf(world).filter(isOf);
    expect(scenes.length).toBeGreaterThan(7);
    // By the width: the first screen that has a kind of thing says how it looks.
    const looks = new Map<string, string>();
    // Two pages for each person, by turns: what one fetched and compiled serves its next screens.
    const pages = new Map<string, { page: Page; complaints: string[] }>();
    const isWatched = ({ who, state }: Scene): boolean => who !== null && state === 'real data';
    const pageFor = async (scene: Scene, index: number) => {
      const name = `${scene.who} ${scene.state === 'open' ? '' : index % 2}`;
      const known = pages.get(name);
      if (known) return known;
      const page = await browser.newPage({ baseURL: server.url, reducedMotion: 'reduce' });
      if (scene.who) await storeTokens(page, world[scene.who].account.tokens);
      if (isWatched(scene)) await watchShifts(page);
      const made = { page, complaints: watch(page) };
      pages.set(name, made);
      return made;
    };
    const open = async (scene: Scene, index: number) => {
      const found = await pageFor(scene, index);
      const { colorScheme, width, height } = LOOKS[0]!;
      await found.page.setViewportSize({ width, height });
      await found.page.emulateMedia({ colorScheme });
      if (!isWatched(scene)) await found.page.unrouteAll({ behavior: 'ignoreErrors' });
      else if (index > 0) await found.page.route(FRAME, (route) => route.continue());
      await (scene.goOn ?? scene.open)(found.page, world);
      return found;
    };
    let coming: ReturnType<typeof open> | undefined;
    for (const [index, scene] of scenes.entries()) {
      const { page, complaints } = await (coming ?? open(scene, index));
      // While one is looked at, the next one loads; what opens over a screen wants to be alone.
      const next = scenes[index + 1];
      coming = next && next.state !== 'open' ? open(next, index + 1) : undefined;
      // Whether it came is told at its turn.
      coming?.catch(() => undefined);
      for (const { colorScheme, width, height } of LOOKS) {
        if (colorScheme !== LOOKS[0]!.colorScheme) await showIn(page, { colorScheme, width, height });
        const where = `${scene.screen} (${scene.state}), ${width} px, ${colorScheme}`;
        await restOf(page);
        if (isWatched(scene) && colorScheme === 'light')
          await test.step('UXP-63 MTR-09: nothing moves when the rest comes', async () => {
            expect.soft(await shiftsOf(page), where).toEqual([]);
          });
        // The sidebar is the same on all screens of a group: it is looked at on the first.
        const parts = { include: ['html'], exclude: index > 0 ? ['aside'] : [] };
        await test.step('UXP-01: axe finds nothing', async () => {
          expect.soft(await violationsOf(page, parts, STANDARDS), where).toEqual([]);
        });
        await test.step('UXP-02: controls stand out from their ground', async () => {
          expect.soft(await faintControls(page), where).toEqual([]);
        });
        await test.step('UXP-71 UXP-91: all screens share their edges and their type', async () => {
          const { astray, ...shared }: Looks = await looksOf(page);
          expect.soft(astray, where).toEqual([]);
          for (const [kind, found] of Object.entries(shared))
            for (const look of found) {
              const known = looks.get(`${kind} ${width}`) ?? look;
              looks.set(`${kind} ${width}`, known);
              expect.soft(look, `${kind} on ${where}`).toBe(known);
            }
        });
        if (width !== 320)
          await test.step('UXP-60: what is read aloud has a name', async () => {
            expect.soft(await namelessOf(page), where).toEqual([]);
          });
        if (width === 320)
          await test.step('CON-23 CON-24 UXP-69: all fits, in each direction of writing', async () => {
            await expect.soft.poll(() => layoutFaults(page), where).toEqual([]);
          });
      }
      expect.soft(complaints.splice(0).filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
    }
    await Promise.all([...pages.values()].map(({ page }) => page.context().close()));
  });

test('UXP-75: every screen, and what opens over it, works under a translator', async ({
  browser,
  server,
  world,
  allowed,
}) => {
  test.setTimeout(600_000);
  const scenes = scenesOf(world).filter(({ state }) => state === 'real data' || state === 'open');
  const pages = new Map<Scene['who'], { page: Page; complaints: string[] }>();
  for (const { who, screen, open, goOn } of scenes) {
    const known = pages.get(who);
    const page = known?.page ?? (await browser.newPage({ baseURL: server.url, reducedMotion: 'reduce' }));
    const complaints = known?.complaints ?? watch(page);
    if (!known) {
      pages.set(who, { page, complaints });
      await translate(page);
      if (who) await storeTokens(page, world[who].account.tokens);
    }
    if (!goOn) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await (goOn ?? open)(page, world);
    await restOf(page);
    await expect.soft(page.locator('font').first(), screen).toBeAttached();
    await expect.soft(page.getByText(/^(Console error|Screen error|Open again)$/), screen).toHaveCount(0);
    const unexpected = complaints.splice(0).filter((text) => !allowed.some((pattern) => pattern.test(text)));
    expect.soft(unexpected, screen).toEqual([]);
  }
  await Promise.all([...pages.values()].map(({ page }) => page.context().close()));
});
