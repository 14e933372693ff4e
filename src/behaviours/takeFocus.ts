/** What had the focus when an element took it by itself. */
const taken = new WeakMap<Element, Element>();

/** For the first field of a page or dialog that is nothing but a form: it has the focus when it appears. A ref callback. */
export function takeFocus(element: HTMLElement | null): void {
  if (!element) return;
  const { activeElement } = element.ownerDocument;
  if (activeElement && activeElement !== element) taken.set(element, activeElement);
  element.focus({ preventScroll: true });
}

/** What had the focus before this element took it by {@link takeFocus}; undefined where it did not. */
export const takenFrom = (element: Element): Element | undefined => taken.get(element);

/** For the heading of a page that comes in place of another, such as when a role changes: only where nothing has the focus. A ref callback. */
export function takeFreeFocus(element: HTMLElement | null): void {
  if (!element) return;
  const { activeElement, body } = element.ownerDocument;
  if (activeElement === null || activeElement === body) takeFocus(element);
}

/** The field with this id, for what gives the focus back to it; null where it is not on the page. */
export const fieldOf = (id: string, page: Document = document): HTMLElement | null => page.getElementById(id);
