import type { SelectionActor } from '#machines/playground/reader/selection/machine.ts';
import type { Place } from '#machines/playground/transcript/stretch.ts';

/**
 * Selecting and copying in a text of which only some rows are in the page. A row is `[data-segment=INDEX]`, with its
 * words in a `p` and labels among them in `[data-mark]`.
 */
const ROW = '[data-segment]';
const LABEL = '[data-mark]';

const START: Place = { segment: 0, offset: 0 };
const END: Place = { segment: Infinity, offset: Infinity };

/** A point in the document, as in a selection. */
type Point = { node: Node; offset: number };

/**
 * Keeps the first and the last row of a selection in the page, so that the browser keeps the selection, and copies all
 * of its text. For the element around a `[data-scroller]`. A ref callback that returns its undo.
 */
export function rowSelection(
  selection: SelectionActor,
  textBetween: (one: Place, other: Place) => string,
): (element: HTMLElement) => () => void {
  return (element) => {
    const scroller = scrollerOf(element);
    const document = element.ownerDocument;
    let known = '';
    const look = () => {
      const rows = endsOf(document.getSelection())
        .flatMap(({ node }) => (scroller.contains(node) ? (rowOf(node)?.dataset['segment'] ?? []) : []))
        .map(Number);
      if (String(rows) === known) return;
      known = String(rows);
      selection.send(rows.length === 0 ? { type: 'selection.cleared' } : { type: 'selection.made', rows });
    };
    const copy = (event: ClipboardEvent) => {
      const selected = document.getSelection();
      const [anchor, focus] = endsOf(selected);
      if (!selected || selected.isCollapsed || !anchor || !focus || !scroller.contains(anchor.node)) return;
      event.clipboardData?.setData('text/plain', textBetween(placeOf(scroller, anchor), placeOf(scroller, focus)));
      event.preventDefault();
    };
    document.addEventListener('selectionchange', look);
    document.addEventListener('copy', copy);
    return () => {
      document.removeEventListener('selectionchange', look);
      document.removeEventListener('copy', copy);
      if (known !== '') selection.send({ type: 'selection.cleared' });
    };
  };
}

/** Extends the selection to the beginning (-1) or the end (1) of the whole text. */
export function extendToEdge(scroller: HTMLElement, direction: -1 | 1): void {
  extend(scroller, { node: scroller, offset: direction < 0 ? 0 : scroller.childNodes.length });
}

/** Scrolls by a page and extends the selection to the new edge. */
export function extendByPage(scroller: HTMLElement, direction: -1 | 1): void {
  const before = scroller.scrollTop;
  scroller.scrollTop += direction * (scroller.clientHeight - OVERLAP_PX);
  if (scroller.scrollTop === before) return extendToEdge(scroller, direction);
  // The list renders its rows a frame after the scrolling.
  requestAnimationFrame(() => requestAnimationFrame(() => extend(scroller, pointAtEdge(scroller, direction))));
}

/** Part of a page that stays in view on the next one. */
const OVERLAP_PX = 40;
/** Half a line. */
const INSET_PX = 12;

export function scrollerOf(element: HTMLElement): HTMLElement {
  const scroller = element.querySelector<HTMLElement>('[data-scroller]');
  if (!scroller) throw new Error('No [data-scroller] in this element.');
  return scroller;
}

/** Extends from the selection's anchor; else from the focused word, else from the first row in view. */
function extend(scroller: HTMLElement, to: Point): void {
  const selection = scroller.ownerDocument.getSelection();
  const [anchor] = endsOf(selection);
  const from = anchor && scroller.contains(anchor.node) ? anchor : beginning(scroller);
  selection?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

function beginning(scroller: HTMLElement): Point {
  const focused = scroller.ownerDocument.activeElement;
  if (focused && focused !== scroller && scroller.contains(focused)) return { node: focused, offset: 0 };
  const { top } = scroller.getBoundingClientRect();
  const row = [...scroller.querySelectorAll(ROW)].find((each) => each.getBoundingClientRect().bottom > top);
  return { node: row ?? scroller, offset: 0 };
}

/** The point in the text at the upper (-1) or lower (1) edge of the view; without browser support, its row. */
function pointAtEdge(scroller: HTMLElement, direction: -1 | 1): Point {
  const { left, right, top, bottom } = scroller.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, direction < 0 ? top + INSET_PX : bottom - INSET_PX];
  const document = scroller.ownerDocument;
  const caret = 'caretPositionFromPoint' in document ? document.caretPositionFromPoint(x, y) : null;
  if (caret && scroller.contains(caret.offsetNode)) return { node: caret.offsetNode, offset: caret.offset };
  const row = document.elementFromPoint(x, y)?.closest(ROW);
  return row
    ? { node: row, offset: direction < 0 ? 0 : row.childNodes.length }
    : { node: scroller, offset: direction < 0 ? 0 : scroller.childNodes.length };
}

function endsOf(selection: Selection | null): Point[] {
  if (!selection?.anchorNode || !selection.focusNode) return [];
  return [
    { node: selection.anchorNode, offset: selection.anchorOffset },
    { node: selection.focusNode, offset: selection.focusOffset },
  ];
}

const rowOf = (node: Node): HTMLElement | null =>
  (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>(ROW) ?? null;

/** The place of a point in the whole text; a point outside counts as its beginning or end. */
function placeOf(scroller: HTMLElement, { node, offset }: Point): Place {
  if (!scroller.contains(node))
    return scroller.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING ? START : END;
  if (node === scroller) return offset === 0 ? START : END;
  const row = rowOf(node);
  if (row) return { segment: Number(row.dataset['segment']), offset: charactersBefore(row, { node, offset }) };
  // Between the rows.
  const next = node.childNodes[offset];
  const first = next instanceof Element ? (next.matches(ROW) ? next : next.querySelector(ROW)) : null;
  return first instanceof HTMLElement ? { segment: Number(first.dataset['segment']), offset: 0 } : END;
}

/** Number of characters of a row's words before a point, without labels. */
function charactersBefore(row: HTMLElement, { node, offset }: Point): number {
  const words = row.querySelector('p');
  if (!words) return 0;
  const range = row.ownerDocument.createRange();
  range.setStart(words, 0);
  range.setEnd(node, offset);
  const part = range.cloneContents();
  part.querySelectorAll(LABEL).forEach((label) => label.remove());
  return part.textContent?.length ?? 0;
}
