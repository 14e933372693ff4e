/** Takes the gallery: every scene at five widths in both themes, and the page that shows them. Run by `npm run gallery`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { storeTokens } from '../journeys/account.ts';
import { test } from '../journeys/billed.ts';
import { restOf } from '../journeys/fixtures.ts';
import { galleryPage, type Picture } from './page.ts';
import { scenesOf } from './scenes.ts';

const WIDTHS = [390, 768, 1100, 1440, 1920];
const THEMES = ['light', 'dark'] as const;
const folder = fileURLToPath(new URL('../../.cache/gallery', import.meta.url));

/** A word in the screen's name or state; all scenes without one. */
const wanted = process.env['GALLERY_ONLY'] ?? '';

test('the gallery', async ({ browser, world, server }) => {
  test.setTimeout(3_600_000);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pictures: Picture[] = [];
  const scenes = scenesOf(world).filter(({ screen, state }) => `${screen} ${state}`.includes(wanted));
  for (const [index, scene] of scenes.entries()) {
    const context = await browser.newContext({ baseURL: server.url, reducedMotion: 'reduce' });
    const page = await context.newPage();
    if (scene.who) await storeTokens(page, world[scene.who].account.tokens);
    await page.setViewportSize({ width: 1440, height: 900 });
    await scene.open(page, world);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width < 700 ? 740 : 900 });
        await restOf(page);
        const file = `${index}-${width}-${theme}.jpg`;
        await page.screenshot({
          path: `${folder}/${file}`,
          type: 'jpeg',
          quality: 70,
          fullPage: scene.state !== 'open',
        });
        pictures.push({ screen: scene.screen, state: scene.state, width, theme, file });
      }
    }
    await context.close();
  }
  writeFileSync(`${folder}/index.html`, galleryPage(pictures));
});
