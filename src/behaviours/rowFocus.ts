/** Where the focus goes in lists whose rows come and go. A list is `[data-rows]`, focusable itself; a row is `[data-row=ID]`. */

const PAGE_HEADING = 'main h1[tabindex]';

/** The page's heading: where the focus goes when everything around it is about to change. */
export const pageHeading = (page: Document = document): HTMLElement | null =>
  page.querySelector<HTMLElement>(PAGE_HEADING);

/** The button of a row; without a row the list itself, which says that it is empty. */
export function rowButton(list: string, id: string | null, page: Document = document): HTMLElement | null {
  const rows = page.querySelector<HTMLElement>(`[data-rows="${CSS.escape(list)}"]`);
  const button = id === null ? null : rows?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] button`);
  return button ?? rows;
}

/** Gives the focus to a row's link, or its button where it leads nowhere, unless a person has gone elsewhere meanwhile. */
export function focusRow(row: HTMLElement): void {
  if (isFree(row)) row.querySelector<HTMLElement>('a, button')?.focus();
}

/** The same for the list itself. */
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
