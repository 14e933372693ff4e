import { focusRow, pageHeading } from './rowFocus.ts';

/** Elements that may take the focus of a removed element: row lists, marked elements, transcript texts, dialogs. */
const HOME = '[data-rows], [data-keeps-focus], [data-scroller], [role=dialog], [role=alertdialog]';
const ROW = '[data-rows] [data-row]';

/** The focused element, its row, the id of what takes over from it, and the homes around it, the nearest first. */
type Focused = { element: HTMLElement; row: HTMLElement | null; next: string | null; homes: readonly HTMLElement[] };

/**
 * Keeps the focus near when the focused element disappears, such as a button after its press or a row that others
 * deleted. The focus goes to the row now in its place, else to the element whose id its `data-next` names, else to the
 * nearest home around it, else to the page's heading. Acts only if nothing else has the focus. A ref callback that
 * returns its undo.
 */
export function keepFocus(area: HTMLElement | null): (() => void) | undefined {
  // Dialogs also call their ref with null, although it has an undo.
  if (!area) return undefined;
  const page = area.ownerDocument;
  let focused: Focused | null = null;
  const noteFocus = ({ target }: FocusEvent) => {
    focused = target instanceof HTMLElement ? focusedAt(target) : null;
  };
  // Some browsers also fire this for an element being removed; a microtask later it shows whether the user moved on.
  const noteBlur = () => {
    queueMicrotask(() => {
      if (focused?.element.isConnected && page.activeElement !== focused.element) focused = null;
    });
  };
  const watch = new MutationObserver((changes) => {
    if (!focused || focused.element.isConnected) return;
    const { row, next, homes } = focused;
    focused = null;
    if (!isFocusLost(page)) return;
    const replacement = row && !row.isConnected ? replacementOf(row, changes) : null;
    if (replacement) focusRow(replacement);
    // The row may have nothing focusable.
    if (isFocusLost(page) && next !== null) page.getElementById(next)?.focus();
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
  const next = element.closest('[data-next]')?.getAttribute('data-next') ?? null;
  return { element, row: element.closest<HTMLElement>(ROW), next, homes };
}

/** The part of a MutationRecord that says what was removed, and where. */
type Change = Pick<MutationRecord, 'removedNodes' | 'nextSibling' | 'previousSibling'>;

/** The row in the place of a removed one: the next remaining row, else the one before. */
function replacementOf(row: Node, changes: readonly Change[]): HTMLElement | null {
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
    // The neighbour was removed too.
    gone = next;
  }
}
