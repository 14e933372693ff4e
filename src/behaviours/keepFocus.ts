import { focusRow, pageHeading } from './rowFocus.ts';

/**
 * Where the focus stays when what had it goes from the page: a list of rows, what is marked as keeping it (both
 * focusable themselves), the text of a transcript, a dialog.
 */
const HOME = '[data-rows], [data-keeps-focus], [data-scroller], [role=dialog], [role=alertdialog]';
const ROW = '[data-rows] [data-row]';

/** What has the focus, and what is around it, the nearest first. */
type Focused = { element: HTMLElement; row: HTMLElement | null; homes: readonly HTMLElement[] };

/**
 * Keeps the focus near where it was when the element that had it goes from the page, such as a button that is gone once
 * pressed, or a row that others deleted: the row that stands in its place takes it, else the nearest thing around it that
 * can, else the page's heading. Nothing is taken from anybody: it acts only where the element that went had the focus,
 * and nothing has it now. As a ref callback it returns its own undo.
 */
export function keepFocus(area: HTMLElement | null): (() => void) | undefined {
  // Dialogs tell that they go also where there is an undo.
  if (!area) return undefined;
  const page = area.ownerDocument;
  let focused: Focused | null = null;
  const noteFocus = ({ target }: FocusEvent) => {
    focused = target instanceof HTMLElement ? focusedAt(target) : null;
  };
  // Some browsers tell it also when the element is about to go: a moment later it is known whether a person went elsewhere.
  const noteBlur = () => {
    queueMicrotask(() => {
      if (focused?.element.isConnected && page.activeElement !== focused.element) focused = null;
    });
  };
  const watch = new MutationObserver((changes) => {
    if (!focused || focused.element.isConnected) return;
    const { row, homes } = focused;
    focused = null;
    if (!isFocusLost(page)) return;
    const stand = row && !row.isConnected ? standInOf(row, changes) : null;
    if (stand) focusRow(stand);
    // A row may have nothing that takes it.
    if (isFocusLost(page))
      (homes.find((home) => home.isConnected) ?? pageHeading(page))?.focus({ preventScroll: true });
  });
  area.addEventListener('focusin', noteFocus);
  area.addEventListener('focusout', noteBlur);
  watch.observe(area, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    area.removeEventListener('focusin', noteFocus);
    area.removeEventListener('focusout', noteBlur);
  };
}

const isFocusLost = ({ activeElement, body }: Document): boolean => activeElement === null || activeElement === body;

function focusedAt(element: HTMLElement): Focused {
  const homes: HTMLElement[] = [];
  for (
    let home = element.closest<HTMLElement>(HOME);
    home;
    home = home.parentElement?.closest<HTMLElement>(HOME) ?? null
  )
    homes.push(home);
  return { element, row: element.closest<HTMLElement>(ROW), homes };
}

/** What a change of the page tells of what was taken out, as a MutationRecord does. */
type Change = Pick<MutationRecord, 'removedNodes' | 'nextSibling' | 'previousSibling'>;

/** The row that stands where one stood: the next that is left, else the one before. */
export function standInOf(row: Node, changes: readonly Change[]): HTMLElement | null {
  return neighbourOf(row, changes, 'nextSibling') ?? neighbourOf(row, changes, 'previousSibling');
}

function neighbourOf(
  row: Node,
  changes: readonly Change[],
  side: 'nextSibling' | 'previousSibling',
): HTMLElement | null {
  const left = [...changes];
  for (let gone = row; ;) {
    const index = left.findIndex(({ removedNodes }) => [...removedNodes].includes(gone));
    const [change] = index < 0 ? [] : left.splice(index, 1);
    const next = change?.[side];
    if (!next) return null;
    if (next.isConnected) return next instanceof HTMLElement && next.matches('[data-row]') ? next : null;
    // It went with the same change.
    gone = next;
  }
}
