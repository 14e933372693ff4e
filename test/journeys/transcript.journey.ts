/** What only the eye and the clipboard can tell of a transcript; its text is made up, so that every script is in it. */
import { transcription } from '#test/machines/playground-fixtures.ts';
import { enter, expect, expectAccessible, type Page, test } from './fixtures.ts';

type Token = {
  text: string;
  start_ms?: number;
  end_ms?: number;
  confidence?: number;
  speaker?: string;
  language?: string;
  translation_status?: string;
  source_language?: string;
};

const ID = '3f2b8c1e-5a4d-4c6b-9e7f-0a1b2c3d4e5f';
const region = (page: Page) => page.getByRole('region', { name: 'Transcript text' });
const words = (page: Page) => region(page).locator('[data-details]');
const selected = (page: Page) => page.evaluate(() => document.getSelection()?.toString());
const pasted = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Opens a transcription that the server, so to speak, has finished with these tokens. */
async function open(page: Page, tokens: readonly Token[]): Promise<void> {
  await page.route(`**/v1/transcriptions/${ID}`, (route) =>
    route.fulfill({
      json: transcription({ id: ID, status: 'completed', file_id: null, enable_speaker_diarization: true }),
    }),
  );
  await page.route(`**/v1/transcriptions/${ID}/transcript`, (route) =>
    route.fulfill({ json: { id: ID, text: tokens.map(({ text }) => text).join(''), tokens } }),
  );
  const { playground } = await enter(page);
  await page.goto(`${playground}${ID}/?mode=async`);
  await expect(words(page).first()).toBeVisible();
}

const say = (speaker: string, language: string, texts: readonly string[]): Token[] =>
  texts.map((text, index) => ({
    text,
    speaker,
    language,
    start_ms: index * 300,
    end_ms: index * 300 + 200,
    confidence: 0.9,
  }));

const LONG = Array.from({ length: 100_000 }, (_, index): Token => ({
  text: ` w${index}${index % 15 === 14 ? '.' : ''}`,
  start_ms: index * 100,
  end_ms: index * 100 + 90,
  confidence: 0.9,
  speaker: String((Math.floor(index / 150) % 5) + 1),
}));

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('TRN-01 ERR-06: each script has its own direction, markup is text, and only words can be selected @gate', async ({
  page,
}) => {
  await open(page, [
    ...say('1', 'en', [' Good', ' mor', 'ning.', '<end>']),
    ...say('2', 'ar', [' مر', 'حبا', ' بال', 'عا', 'لم', '.', '<fin>']),
    ...say('3', 'zh', [' 你好', '世界', '。']),
    ...say('26', 'en', [' <img', ' src=x', ' onerror=alert(1)>']),
  ]);
  const lines = region(page).locator('p');
  await expect(lines.nth(1)).toHaveCSS('direction', 'rtl');
  await expect(lines.nth(0)).toHaveCSS('direction', 'ltr');
  await expect(lines.nth(1)).toHaveAttribute('lang', 'ar');
  await expect(words(page)).toHaveText([
    'Good',
    'morning.',
    'مرحبا',
    'بالعالم.',
    '你好',
    '世界。',
    '<img',
    'src=x',
    'onerror=alert(1)>',
  ]);
  for (const label of ['Speaker 1', 'Speaker 2', 'Speaker 3', 'Speaker 26'])
    await expect(region(page).getByText(label, { exact: true })).toBeVisible();
  const colours = await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).color));
  expect(new Set(colours).size).toBe(3);
  expect(colours[3]).toBe(colours[0]);
  for (const box of await Promise.all((await lines.all()).map((line) => line.boundingBox())))
    expect(box?.width).toBeLessThanOrEqual(750);
  await expectAccessible(page);

  // By hand, from the first heading to the last word.
  await region(page).evaluate((element) =>
    document
      .getSelection()
      ?.setBaseAndExtent(
        element.querySelector('[data-details]') ?? element,
        0,
        [...element.querySelectorAll('[data-details]')].at(-1) ?? element,
        1,
      ),
  );
  const text = 'Good morning. مرحبا بالعالم. 你好世界。 <img src=x onerror=alert(1)>';
  expect((await selected(page))?.replace(/\s+/g, ' ')).toBe(text);
  await page.keyboard.press('ControlOrMeta+C');
  expect((await pasted(page)).trim().replace(/\s+/g, ' ')).toBe(text);
});

test('TRN-05: of 100,000 tokens a few are in the page; they scroll both ways, are found, and are copied whole', async ({
  page,
}) => {
  test.slow();
  await open(page, LONG);
  const most = 1500;
  expect(await words(page).count()).toBeLessThan(most);
  await region(page).focus();
  await page.keyboard.press('End');
  const last = region(page).getByText('w99999', { exact: true });
  await expect(last).toBeInViewport();
  expect(await words(page).count()).toBeLessThan(most);
  // Into rows that were never measured, and change the height of the text when they are: who scrolls away is not fetched back.
  await region(page).hover();
  await page.mouse.wheel(0, -20_000);
  await expect(last).toHaveCount(0);
  await page.mouse.wheel(0, -20_000);
  const distance = () => region(page).evaluate((element) => element.scrollHeight - element.scrollTop);
  await expect.poll(distance).toBeGreaterThan(30_000);
  await expect(words(page).first()).toBeVisible();
  expect(await distance()).toBeGreaterThan(30_000);
  await page.keyboard.press('Home');
  await expect(region(page).getByText('w0', { exact: true })).toBeInViewport();

  const near = region(page).getByText('w200', { exact: true });
  await expect(near).toHaveCount(1);
  await page.keyboard.press('ControlOrMeta+A');
  // Scrolling takes away rows that were selected; only those with the ends of the selection may stay. On a busy machine
  // the list may still be on its way to the beginning, and wins.
  await expect(async () => {
    await region(page).evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await expect(near).toHaveCount(0, { timeout: 1000 });
  }).toPass();
  await page.keyboard.press('ControlOrMeta+C');
  const copied = await pasted(page);
  expect(copied.trim().split(/\s+/)).toEqual(LONG.map(({ text }) => text.trim()));
  expect(copied).not.toContain('Speaker');

  await page.keyboard.press('ControlOrMeta+F');
  const search = page.getByLabel('Search in the transcript');
  await expect(search).toBeFocused();
  await search.fill('w54321');
  await expect(page.getByRole('search').getByRole('status')).toHaveText('1 of 1');
  await expect(region(page).locator('[data-hit=current]')).toBeInViewport();
  await search.press('ControlOrMeta+A');
  expect(
    await search.evaluate((input: HTMLInputElement) =>
      input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
    ),
  ).toBe('w54321');
  // What has nothing to do can be reached, says why, and does nothing.
  await search.fill('nowhere');
  const next = page.getByRole('button', { name: 'Next match' });
  await next.focus();
  await expect(next).toBeFocused();
  await expect(next).toHaveAttribute('aria-disabled', 'true');
  await expect(next).toHaveAccessibleDescription('Not found');
  await next.press('Enter');
  await expect(next).toBeFocused();
  await search.press('Escape');
  await expect(search).toBeHidden();
  await expect(region(page)).toBeFocused();
});

test('TRN-05: a selection by drag, Shift or page is copied in full, even if its rows are not in the page', async ({
  page,
}) => {
  const tokens = LONG.slice(0, 9000);
  await open(page, tokens);
  const said = tokens.map(({ text }) => text.trim());
  const word = (index: number) => region(page).getByText(said[index] ?? '', { exact: true });
  /** The first word in the middle of what is in sight. */
  const middle = () =>
    region(page).evaluate((element) => {
      const { top, height } = element.getBoundingClientRect();
      const found = [...element.querySelectorAll('[data-details]')].find(
        (each) => each.getBoundingClientRect().top > top + height / 2,
      );
      return Number(found?.textContent?.match(/\d+/)?.[0]);
    });
  /** How far it is scrolled, once that has been the same for some frames. */
  const atRest = () =>
    region(page).evaluate(
      (element) =>
        new Promise<number>((resolve) => {
          let [at, frames] = [-1, 0];
          const look = () => {
            frames = element.scrollTop === at ? frames + 1 : 0;
            at = element.scrollTop;
            if (frames > 5) resolve(at);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
  const scroll = async () => {
    const before = await atRest();
    for (let screens = 0; screens < 5; screens += 1) await page.mouse.wheel(0, 900);
    await expect.poll(atRest).toBeGreaterThan(before + 3000);
    await expect(word(0)).toHaveCount(0);
  };
  const edge = async (index: number, side: 'start' | 'end') => {
    await expect(word(index)).toBeInViewport();
    const box = await word(index).boundingBox();
    if (!box) throw new Error(`w${index} is not to be seen.`);
    return [side === 'start' ? box.x + 1 : box.x + box.width - 1, box.y + box.height / 2] as const;
  };
  const copied = async () => {
    await page.keyboard.press('ControlOrMeta+C');
    return pasted(page);
  };
  /** A line per run of a speaker. */
  const lines = (from: number, to: number) => {
    const runs = new Map<number, string[]>();
    for (let index = from; index <= to; index += 1)
      runs.set(Math.floor(index / 150), [...(runs.get(Math.floor(index / 150)) ?? []), said[index] ?? '']);
    return [...runs.values()].map((run) => run.join(' ')).join('\n');
  };

  await page.mouse.move(...(await edge(70, 'start')));
  await page.mouse.down();
  await page.mouse.move(...(await edge(72, 'end')));
  await scroll();
  const dragged = await middle();
  expect(dragged).toBeGreaterThan(500);
  await page.mouse.move(...(await edge(dragged, 'end')));
  await page.mouse.up();
  expect(await copied()).toBe(lines(70, dragged));
  // Looked at somewhere else, it is the same.
  await page.keyboard.press('End');
  await expect(word(said.length - 1)).toBeInViewport();
  expect(await copied()).toBe(lines(70, dragged));

  await page.keyboard.press('Home');
  // The first click only takes the selection away.
  await page.mouse.click(...(await edge(100, 'start')));
  await page.mouse.click(...(await edge(80, 'start')));
  await scroll();
  const clicked = await middle();
  await page.keyboard.down('Shift');
  await page.mouse.click(...(await edge(clicked, 'end')));
  await page.keyboard.up('Shift');
  expect(await copied()).toBe(lines(80, clicked));

  await region(page).evaluate((element) => element.scrollTo(0, 0));
  await page.mouse.click(...(await edge(110, 'start')));
  await page.mouse.click(...(await edge(90, 'start')));
  const reached = () =>
    page.evaluate(() => Number(document.getSelection()?.focusNode?.textContent?.match(/\d+/)?.[0] ?? 0));
  let last = 90;
  for (let screens = 0; screens < 4; screens += 1) {
    await page.keyboard.press('Shift+PageDown');
    await expect.poll(reached).toBeGreaterThan(last);
    last = await reached();
  }
  const paged = (await copied()).split(/\s+/);
  expect(paged.length).toBeGreaterThan(300);
  expect(paged.slice(0, -1)).toEqual(said.slice(90, 90 + paged.length - 1));
  await page.keyboard.press('Shift+End');
  expect(await copied()).toBe(lines(90, said.length - 1));
  await page.keyboard.press('Shift+Home');
  expect(await copied()).toBe(lines(0, 89));
});

test.describe('by touch', () => {
  test.use({ hasTouch: true });

  test('TRN-02 ORG-09 CON-26: a touched word shows its times and languages; a copy has the shown side; finds stand out', async ({
    page,
  }) => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    let flags: string[] = [];
    await page.route('**/user/organizations/', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"feature_flags":[]', `"feature_flags":${JSON.stringify(flags)}`);
      await route.fulfill({ response, body });
    });
    const translated = { language: 'de', source_language: 'en', translation_status: 'translation' };
    const tokens = say('1', 'en', [' one', ' two', ' two']);
    await open(
      page,
      tokens.map((token, index) => ({ ...token, ...(index > 0 ? translated : { translation_status: 'original' }) })),
    );
    const tooltip = page.getByRole('tooltip');
    await words(page).nth(1).tap();
    await expect(tooltip).toHaveText('00:00.300 – 00:00.500, confidence 0.90');
    await words(page).nth(0).tap();
    await expect(tooltip).toHaveText('00:00.000 – 00:00.200, confidence 0.90');
    await page.getByRole('heading', { name: 'Transcript', exact: true }).tap();
    await expect(tooltip).toBeHidden();

    await region(page).focus();
    await page.keyboard.press('ControlOrMeta+F');
    await page.getByLabel('Search in the transcript').fill('two');
    const ground = (place: string) =>
      region(page)
        .locator(place)
        .evaluate((word) => getComputedStyle(word).backgroundColor);
    const plain = await ground('[data-details]:not([data-hit])');
    const grounds = [plain, await ground('[data-hit=other]'), await ground('[data-hit=current]')];
    expect(new Set(grounds).size).toBe(3);

    flags = ['stt-tags'];
    await page.reload();
    await words(page).nth(1).tap();
    await expect(tooltip).toHaveText(
      /confidence 0\.90, language de, source language en, translation status translation$/,
    );
    await page.getByRole('radiogroup', { name: 'Show' }).getByText('Translation').click();
    await expect(words(page)).toHaveText(['two', 'two']);
    await page.getByRole('button', { name: 'Copy transcript' }).click();
    await expect.poll(() => pasted(page)).toContain('two');
    expect(await pasted(page)).not.toContain('one');
  });
});
