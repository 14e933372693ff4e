import type { Model } from '#contract/models.ts';
import { LANGUAGES, model as anyModel } from '#test/machines/playground-fixtures.ts';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { openTab } from './playground.ts';

const model = (id: string, changes: Partial<Model> = {}) =>
  anyModel({
    id,
    name: `Model ${id}`,
    context_version: 1,
    transcription_mode: 'async',
    supports_audio_event_detection: false,
    ...changes,
  });
const NONE = { one_way_translation: null, two_way_translation: null };
const MANY = 'abcdefghijklmnopqrstuvwxyz'
  .split('')
  .flatMap((letter) => ['a', 'e', 'n'].map((second) => letter + second))
  .slice(0, 60)
  .map((code, index) => ({ code, name: index === 7 ? 'Español' : `Language ${index + 1}` }));

async function offer(page: Page, ...models: object[]): Promise<void> {
  await page.route('**/v1/models', (route) => route.fulfill({ json: { models } }));
  await openTab(page, 'async');
}

const option = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const choices = (page: Page, label: string) => option(page, label).locator('option').allTextContents();
const kind = (page: Page, name: 'One-way' | 'Two-way') => page.getByRole('button', { name, exact: true });

test.describe('what is sent', () => {
  test.use({ allowed: [/status of 400/] });

  test('ASY-12 ASY-13 ASY-14: the payload holds the settings and exactly the chosen translation @gate', async ({
    page,
  }) => {
    const sent: unknown[] = [];
    await page.route('**/v1/transcriptions', (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ status: 400, json: { message: 'Only looking.' } });
    });
    await offer(
      page,
      model('alias', { aliased_model_id: 'free' }),
      model('live', { transcription_mode: 'real_time' }),
      model('free', { supports_audio_event_detection: true }),
    );
    expect(await choices(page, 'Model')).toEqual(['Model free']);
    await page.getByRole('list', { name: 'Files' }).getByRole('link').first().click();
    await kind(page, 'Two-way').click();
    await option(page, 'Language A').selectOption('English');
    await option(page, 'Language B').selectOption('French');
    await page.getByText('Any language').click();
    await page.getByRole('checkbox', { name: 'German' }).check();
    await page.getByText('Speaker diarization').click();
    await page.getByText('Audio event detection').click();
    await page.getByLabel('Context').fill('Invoices');
    await page.getByRole('button', { name: 'Transcribe file' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Only looking.' })).toBeVisible();
    expect(sent).toEqual([
      {
        model: 'free',
        file_id: /\/new\/([\w-]+)\//.exec(page.url())?.[1],
        language_hints: ['de'],
        context: 'Invoices',
        enable_speaker_diarization: true,
        enable_language_identification: false,
        enable_audio_event_detection: true,
        translation: { type: 'two_way', language_a: 'en', language_b: 'fr' },
      },
    ]);
  });
});

test('ASY-17 UXP-59: many languages are searched; a model without languages or events offers no hints or switch for them', async ({
  page,
}) => {
  await offer(
    page,
    model('many', { ...NONE, languages: MANY, supports_audio_event_detection: true }),
    model('few', NONE),
    model('one', { ...NONE, languages: LANGUAGES.slice(0, 1) }),
    model('wordless', { ...NONE, languages: [] }),
  );
  const events = page.getByLabel('Audio event detection');
  await expect(events).toBeEnabled();
  await page.getByText('Any language').click();
  const boxes = page.getByRole('region', { name: 'Languages' }).getByRole('checkbox');
  await expect(boxes).toHaveCount(60);
  // Square: with round corners a box looks like a choice of one.
  const [corner, side] = await boxes.first().evaluate((element) => {
    const { borderTopLeftRadius, width } = getComputedStyle(element);
    return [parseFloat(borderTopLeftRadius), parseFloat(width)] as const;
  });
  expect(corner).toBeGreaterThan(0);
  expect(corner).toBeLessThanOrEqual(side / 4);
  const search = page.getByLabel('Search languages');
  await search.fill('espanol');
  await expect(boxes).toHaveCount(1);
  await expect(page.getByText('1 of 60 languages.')).toBeVisible();
  await boxes.first().check();
  await expect(boxes).toHaveCount(1);
  await search.fill('volapük');
  await expect(boxes).toHaveCount(0);
  await expect(page.getByText('No such language.')).toBeVisible();
  await search.press('Escape');
  await expect(boxes).toHaveCount(60);
  await expect(page.getByRole('group', { name: 'Language hints' }).locator('summary')).toHaveText('Español');

  await option(page, 'Model').selectOption('Model few');
  await expect(boxes).toHaveCount(3);
  await expect(search).toBeHidden();
  await expect(events).toBeDisabled();
  await expect(events).toHaveAccessibleDescription('This model does not detect audio events.');
  await expect(kind(page, 'One-way')).toBeDisabled();
  await expect(page.getByText('This model does not translate.')).toBeVisible();
  await option(page, 'Model').selectOption('Model one');
  await expect(page.getByRole('group', { name: 'Language hints' }).locator('summary')).toHaveText('English only');
  await option(page, 'Model').selectOption('Model wordless');
  await expect(page.getByRole('group', { name: 'Language hints' })).toHaveAttribute('disabled', '');
  await expect(page.getByText('This model does not take language hints.')).toBeVisible();
  await expect(boxes).toHaveCount(0);
});

test('UXP-44 ASY-04: the panel opens with an animation where people want it; where they want none, nothing fades', async ({
  page,
}) => {
  // It comes once the page has drawn what it has.
  const motion = async () => {
    const url = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          new PerformanceObserver((list) => {
            const found = list.getEntries().find(({ name }) => /\/assets\/motion-[^/]*\.js$/.test(name));
            if (found) resolve(found.name);
          }).observe({ type: 'resource', buffered: true });
        }),
    );
    await page.evaluate((from) => import(from), url);
  };
  await openTab(page, 'async');
  await motion();
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toHaveAttribute('aria-expanded', 'true');
  /** What is begun as a panel opens, not what is seen of it: a busy machine may draw no frame in between. */
  const begunBy = (panel: string) =>
    page.evaluate(async (id) => {
      const begun: unknown[] = [];
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...[keyframes, options]: Parameters<Element['animate']>) {
        if (this.parentElement?.id === `${id}-content` && keyframes && 'opacity' in keyframes)
          begun.push(typeof options === 'object' ? options.duration : options);
        return animate.call(this, keyframes, options);
      };
      document.querySelector<HTMLElement>(`#${id}`)?.click();
      const opacity = () =>
        [...(document.querySelector(`#${id}-content`)?.children ?? [])]
          .map((content) => getComputedStyle(content).opacity)
          .join();
      do await new Promise(requestAnimationFrame);
      while (opacity() !== '1');
      Element.prototype.animate = animate;
      return begun;
    }, panel);
  const longest = () =>
    page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('body *')].map((element) =>
          Number.parseFloat(getComputedStyle(element).transitionDuration),
        ),
      ),
    );
  expect(await begunBy('panel-history')).toEqual([]);
  expect(await longest()).toBeLessThanOrEqual(0.001);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.reload();
  await expect(page.getByRole('button', { name: 'History' })).toHaveAttribute('aria-expanded', 'true');
  await motion();
  expect(await longest()).toBeGreaterThan(0.1);
  expect(await begunBy('panel-settings')).toEqual([150]);
});

test('CON-13 CON-27 ASY-15: what is missing or too long is said before anything is sent; kinds toggle, and B waits for A', async ({
  page,
}) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await offer(page, model('free'));
  await page
    .getByRole('list', { name: 'Files' })
    .getByRole('link', { name: /meeting-notes/ })
    .click();
  const transcribe = page.getByRole('button', { name: 'Transcribe file' });
  await expect(transcribe).toBeEnabled();
  await kind(page, 'One-way').click();
  await expect(transcribe).toBeDisabled();
  await expect(transcribe).toHaveAccessibleDescription(
    'Choose the target language of the translation, or switch the translation off.',
  );
  await expect(option(page, 'Target language')).toHaveAccessibleDescription('Needed for the translation.');
  await expectAccessible(page);
  await option(page, 'Target language').selectOption('French');
  await expect(transcribe).toBeEnabled();
  await kind(page, 'Two-way').click();
  await expect(kind(page, 'One-way')).toHaveAttribute('aria-pressed', 'false');
  await expect(kind(page, 'Two-way')).toHaveAttribute('aria-pressed', 'true');
  await expect(option(page, 'Target language')).toBeHidden();
  await expect(option(page, 'Language B')).toBeDisabled();
  await expect(option(page, 'Language B')).toHaveAccessibleDescription('Choose language A first.');
  await expect(transcribe).toHaveAccessibleDescription(
    'Choose language A of the translation, or switch the translation off.',
  );
  await option(page, 'Language A').selectOption('German');
  expect(await choices(page, 'Language B')).toEqual(['Choose a language', 'English', 'French']);
  await kind(page, 'Two-way').click();
  await expect(kind(page, 'Two-way')).toHaveAttribute('aria-pressed', 'false');
  await expect(option(page, 'Language A')).toBeHidden();
  await expect(transcribe).toBeEnabled();

  const context = option(page, 'Context');
  await context.fill('x'.repeat(10_001));
  await expect(context).toHaveAccessibleDescription(
    /10,001 \/ 10,000 characters.*Shorten the context to at most 10,000 characters\./,
  );
  await expect(transcribe).toBeDisabled();
  await expect(transcribe).toHaveAccessibleDescription('Shorten the context to at most 10,000 characters.');
  expect(sent.filter((path) => path.startsWith('/v1/transcriptions'))).toEqual([]);
});
