/** Focus in lists whose rows come and go. A list is `[data-rows]`, focusable itself; a row is `[data-row=ID]`. */

const PAGE_HEADING = 'main h1[tabindex]';

/** The page's heading: takes the focus when everything else changes. */
export const pageHeading = (page: Document = document): HTMLElement | null =>
  page.querySelector<HTMLElement>(PAGE_HEADING);

/** The page's heading while it has the focus, so that a list whose link led there leaves it. Else null. */
export function focusedHeading(page: Document = document): HTMLElement | null {
  const heading = pageHeading(page);
  return heading === page.activeElement ? heading : null;
}

/** The list of this name. */
export const listElement = (list: string, page: Document = document): HTMLElement | null =>
  page.querySelector<HTMLElement>(`[data-rows="${CSS.escape(list)}"]`);

/** The button of a row; the list itself if it has no such row. An empty list then says that it is empty. */
export function rowButton(list: string, id: string | null, page: Document = document): HTMLElement | null {
  const rows = listElement(list, page);
  const button = id === null ? null : rows?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] button`);
  return button ?? rows;
}

/** Focuses a row's first link or button, unless the user has moved on meanwhile. */
export function focusRow(row: HTMLElement): void {
  if (isFree(row)) row.querySelector<HTMLElement>('a, button')?.focus();
}

/** Focuses the list, unless the user has moved on meanwhile. */
export function focusList(list: HTMLElement): void {
  if (isFree(list)) list.focus();
}

function isFree(place: HTMLElement): boolean {
  const { activeElement: active, body } = place.ownerDocument;
  return (
    active === null ||
    active === body ||
    active.matches(PAGE_HEADING) ||
    active.closest('[data-rows]')?.contains(place) === true
  );
}
