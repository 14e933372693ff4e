import type { Locator } from '@playwright/test';
import { accountRow, enter, expect, test } from './fixtures.ts';

/** A system colour as the page computes it. */
const systemColour = (element: Locator, name: string): Promise<string> =>
  element.evaluate((at, colour) => {
    const probe = document.createElement('div');
    probe.style.cssText = `forced-color-adjust: none; color: ${colour}`;
    at.ownerDocument.body.append(probe);
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
  }, name);

/** Checks a colour of an element: it may fade in. */
async function expectColour(
  element: Locator,
  property: 'background-color' | 'color' | 'border-top-color',
  name: 'Highlight' | 'CanvasText' | 'GrayText',
): Promise<void> {
  await expect(element).toHaveCSS(property, await systemColour(element, name));
}

const expectChosen = (element: Locator) => expectColour(element, 'background-color', 'Highlight');
const expectNotChosen = async (element: Locator) =>
  expect(element).not.toHaveCSS('background-color', await systemColour(element, 'Highlight'));

test('UXP-04: with forced colours, what is chosen, on, disabled or on top is told by system colours', async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const { playground } = await enter(page);
  await page.goto(`${playground}?mode=real-time`);
  await expectChosen(page.getByRole('tab', { name: 'WebSocket API' }));
  await expectNotChosen(page.getByRole('tab', { name: 'REST API' }));
  const navigation = page.getByRole('navigation', { name: 'Console' });
  await expectChosen(navigation.getByRole('link', { name: 'Speech-to-Text' }));
  await expectNotChosen(navigation.getByRole('link', { name: 'Project home' }));
  const labelOf = (name: string) =>
    page.locator('label').filter({ has: page.getByRole('radio', { name, exact: true }) });
  await expectChosen(labelOf('System'));
  await expectNotChosen(labelOf('Dark'));
  await expectChosen(labelOf('Mic'));
  await expectNotChosen(labelOf('File'));

  const diarization = page.getByRole('checkbox', { name: 'Speaker diarization' });
  const track = page.locator('.switch-control').and(page.locator('input:focus + span'));
  await diarization.focus();
  for (const isOn of [true, false]) {
    await diarization.setChecked(isOn, { force: true });
    await (isOn ? expectChosen : expectNotChosen)(track);
    const [edge, thumb] = [isOn ? 'Highlight' : 'CanvasText', isOn ? 'HighlightText' : 'CanvasText'];
    expect(await track.evaluate((element) => getComputedStyle(element).boxShadow)).toContain(
      await systemColour(track, edge),
    );
    await expect(track.locator('span')).toHaveCSS('background-color', await systemColour(track, thumb));
  }
  await expectColour(page.getByRole('button', { name: 'Finalize' }), 'color', 'GrayText');
  await expectColour(page.getByRole('button', { name: 'Reset' }), 'border-top-color', 'GrayText');

  await page.keyboard.press('Control+k');
  await expectChosen(page.getByRole('option', { selected: true }));
  await expectNotChosen(page.getByRole('option', { selected: false }).first());
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await expect(palette).toHaveCSS('border-top-width', '1px');
  await expectColour(palette, 'border-top-color', 'CanvasText');
  await page.keyboard.press('Control+k');
  await expect(palette).toBeHidden();
  await accountRow(page).press('ArrowDown');
  await expectChosen(page.getByRole('menuitem', { name: 'Manage your account' }));
  await expectNotChosen(page.getByRole('menuitem', { name: 'Sign out' }));

  await page.goto((playground ?? '').replace(/projects\/.*/, 'limits/'));
  const meter = page.getByRole('meter').first();
  await expect(meter).toHaveCSS('border-top-width', '1px');
  await expectChosen(meter.locator('div'));
});
