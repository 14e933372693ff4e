import { beforeEach, expect, it, vi } from 'vitest';
import { createFocusReturn } from '#src/behaviours/focusReturn.ts';
import { takeFocus } from '#src/behaviours/takeFocus.ts';

/** As much of an element as the return of the focus is about. */
class Part {
  readonly isConnected = true;
  readonly ownerDocument: { activeElement: Part | null; body: Part };
  readonly parts: readonly Part[];
  state: 'open' | 'closed' = 'open';
  dialog: Part | null = null;
  constructor(page: Page, ...parts: Part[]) {
    this.ownerDocument = page;
    this.parts = parts;
  }
  asDialog(): this {
    for (const part of this.parts) part.dialog = this;
    return this;
  }
  contains(other: Part): boolean {
    return this === other || this.parts.some((part) => part.contains(other));
  }
  closest(selector: string): Part | null {
    return selector.includes('closed') && this.dialog?.state !== 'closed' ? null : this.dialog;
  }
  focus(): void {
    this.ownerDocument.activeElement = this;
  }
}

class Page {
  readonly body: Part = new Part(this);
  activeElement: Part | null = this.body;
}

let page: Page;
let opener: Part;
/** A dialog with a button before a field. */
const dialogOf = () => {
  const [button, field] = [new Part(page), new Part(page)];
  return { button, field, content: new Part(page, button, field).asDialog() };
};
const focusReturn = () => {
  const { remember, target } = createFocusReturn(page as unknown as Document);
  return { target, remember: (content: Part) => remember(content as unknown as HTMLElement) };
};
const take = (field: Part) => takeFocus(field as unknown as HTMLElement);

beforeEach(() => {
  vi.stubGlobal('HTMLElement', Part);
  page = new Page();
  opener = new Part(page);
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
  first.content.state = 'closed';
  expect(target()).toBe(opener);
});
