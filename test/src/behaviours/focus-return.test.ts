import { beforeEach, expect, it, vi } from 'vitest';
import { createFocusReturn } from '#src/behaviours/focusReturn.ts';
import { takeFocus } from '#src/behaviours/takeFocus.ts';
import { Page, Place } from '../fake-page.ts';

let page: Page;
let opener: Place;
/** A dialog with a button before a field. */
const dialogOf = () => {
  const [button, field] = [new Place(page, 'button'), new Place(page, 'input')];
  const content = new Place(page, 'div', { role: 'dialog', 'data-state': 'open' }, button, field);
  page.body.append(content);
  return { button, field, content };
};
const focusReturn = () => {
  const { remember, target } = createFocusReturn(page as unknown as Document);
  return { target, remember: (content: Place) => remember(content as unknown as HTMLElement) };
};
const take = (field: Place) => takeFocus(field as unknown as HTMLElement);

beforeEach(() => {
  vi.stubGlobal('HTMLElement', Place);
  page = new Page();
  opener = new Place(page, 'button');
  page.body.append(opener);
  opener.focus();
});

it('UXP-65: the focus goes back to what opened a dialog', () => {
  const { remember, target } = focusReturn();
  remember(dialogOf().content);
  expect(target()).toBe(opener);
});

it('UXP-65: also where a field of the dialog took the focus before the dialog itself was there', () => {
  const { field, content } = dialogOf();
  const { remember, target } = focusReturn();
  take(field);
  expect(page.activeElement).toBe(field);
  remember(content);
  expect(target()).toBe(opener);
});

it('UXP-65: from a dialog that another one opened, past the first once that is gone', () => {
  const first = dialogOf();
  const second = dialogOf();
  take(first.field);
  focusReturn().remember(first.content);
  first.button.focus();
  const { remember, target } = focusReturn();
  take(second.field);
  remember(second.content);
  expect(target()).toBe(first.button);
  first.content.attributes['data-state'] = 'closed';
  expect(target()).toBe(opener);
});
