/** Each screen loses its network before anything was opened on it; then every control is used. */
import type { BrowserContext, Locator } from 'playwright';
import type { Scene } from '../../gallery/scene.ts';
import { scenesOf } from '../../gallery/scenes.ts';
import type { World } from '../../gallery/world.ts';
import { storeTokens } from '../account.ts';
import { test } from '../billed.ts';
import { expect, type Page } from '../fixtures.ts';

const PATIENCE_MS = 8000;
const CONTROLS = 'button:visible, summary:visible, [role=tab]:visible, [role=switch]:visible';
/** What lies over the page, or has been unfolded by a control. */
const LAYERS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** What is wrong with the page, in words; empty where nothing is. */
const faultsOf = (page: Page) =>
  page.evaluate((layers) => {
    const isSeen = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 0 && height > 0 && element.checkVisibility({ opacityProperty: true });
    };
    const opened = [...document.querySelectorAll(layers)].filter((layer) => layer.matches('[data-state=open]'));
    const unfolded = [...document.querySelectorAll('[aria-expanded=true][aria-controls]')]
      .map((control) => document.getElementById(control.getAttribute('aria-controls') ?? ''))
      .filter((target) => target !== null);
    return [
      ...('isMarked' in window ? [] : ['it was loaded anew']),
      ...(document.body.innerText.trim() === '' ? ['it is white'] : []),
      ...([...document.querySelectorAll('h1')].some((h1) => h1.textContent === 'Console error')
        ? ['Console error']
        : []),
      ...[...opened, ...unfolded]
        .filter((element) => !isSeen(element))
        .map((element) => `unseen: ${element.outerHTML.slice(0, 90)}`),
    ];
  }, LAYERS);

/** Closes what has been opened: a question that comes of it is answered with its first button. */
async function closeLayers(page: Page): Promise<void> {
  const layers = page.locator(`:is(${LAYERS})[data-state=open]`);
  await expect(async () => {
    if ((await layers.count()) === 0) return;
    const question = page.getByRole('alertdialog').getByRole('button').last();
    if (await question.isVisible()) await question.click({ timeout: 1000 });
    else await page.keyboard.press('Escape');
    await expect(layers).toHaveCount(0, { timeout: 500 });
  }).toPass({ timeout: 10_000 });
}

/** The name of the control; null where it can't be used, or is gone by now. */
async function press(control: Locator): Promise<string | null> {
  if (!(await control.isVisible()) || !(await control.isEnabled())) return null;
  const name = await control.evaluate((element) => element.getAttribute('aria-label') ?? element.textContent ?? '');
  // What the control itself covers is no matter here.
  await control.dispatchEvent('click');
  return name;
}

/** Asks for a screen that is not here yet: it opens when the network is back, and the one before it stays until then. */
async function leave(page: Page, context: BrowserContext): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  const before = await heading.first().innerText();
  const to = before === 'Members' ? 'Audit log' : 'Members';
  const link = page.locator('aside').first().getByRole('link', { name: to, exact: true });
  // The page of a person does not name an organization.
  if ((await link.count()) === 0) return;
  await link.dispatchEvent('click', {}, { timeout: PATIENCE_MS });
  const question = page.getByRole('alertdialog').getByRole('button', { name: 'Leave' });
  if (await question.isVisible()) await question.click({ timeout: PATIENCE_MS });
  expect(await faultsOf(page)).toEqual([]);
  await expect(heading.first()).toHaveText(before, { timeout: PATIENCE_MS });
  await context.setOffline(false);
  await expect(heading.first()).toHaveText(to, { timeout: PATIENCE_MS });
  expect(await faultsOf(page)).toEqual([]);
}

async function walk(context: BrowserContext, scene: Scene, world: World): Promise<{ faults: string[]; used: number }> {
  const page = await context.newPage();
  const faults: string[] = [];
  let used = 0;
  page.on('pageerror', (error) => faults.push(`${scene.screen}: ${String(error)}`));
  if (scene.who) await storeTokens(page, world[scene.who].account.tokens);
  await scene.open(page, world);
  await page.evaluate(() => Object.assign(window, { isMarked: true }));
  await context.setOffline(true);
  for (let index = 0; index < (await page.locator(CONTROLS).count()); index += 1) {
    const control = page.locator(CONTROLS).nth(index);
    // What closes is counted while it goes.
    if (!(await control.isVisible())) continue;
    const wasOpen = (await control.getAttribute('aria-expanded', { timeout: PATIENCE_MS })) === 'true';
    const name = await press(control);
    if (name === null) continue;
    used += 1;
    const wrong = () => faultsOf(page);
    await expect
      .poll(wrong, { timeout: 3000 })
      .toEqual([])
      .catch(async () => void faults.push(`${scene.screen}, ${name}: ${(await wrong()).join('; ')}`));
    await closeLayers(page).catch(() => void faults.push(`${scene.screen}, ${name}: what it opens can't be closed`));
    // What was unfolded is so again: the next control may be in it.
    if (wasOpen) await press(control);
  }
  if (scene.who)
    await leave(page, context).catch((error: unknown) => void faults.push(`${scene.screen}: ${String(error)}`));
  await page.close();
  return { faults, used };
}

test('ERR-11: without a network, every control of every screen does what it can', async ({
  browser,
  server,
  world,
}) => {
  test.setTimeout(600_000);
  const scenes = scenesOf(world).filter(({ state, who }) => state === 'real data' && (who === null || who === 'demo'));
  expect(scenes.length).toBeGreaterThan(20);
  const faults: string[] = [];
  let used = 0;
  for (const scene of scenes) {
    // A cache of its own: nothing has been fetched but for this screen.
    const context = await browser.newContext({ baseURL: server.url, reducedMotion: 'reduce' });
    const walked = await walk(context, scene, world);
    faults.push(...walked.faults);
    used += walked.used;
    await context.close();
  }
  expect(faults).toEqual([]);
  expect(used).toBeGreaterThan(scenes.length * 6);
});
