import { scrollerOf } from './rowSelection.ts';

/** What a virtual list knows of its rows, in pixels; of those not measured yet, a guess. */
type List = { getItemOffset: (row: number) => number; getItemSize: (row: number) => number };

/** What the user does to go elsewhere. */
const LEAVING = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls a virtual list to its rows; the list comes and goes with what it shows. Where a row stands is only known once
 * the rows around it are measured, so it is scrolled anew whenever that has changed the height of the list, until the
 * user goes elsewhere. (The list's own way to a row gives up after a time, and does not yield to the user before.)
 */
export function createRowScroller() {
  let list: List | null = null;
  let scroller: HTMLElement | undefined;
  let wanted: number | undefined;
  const scroll = () => {
    if (wanted === undefined || !list || !scroller) return;
    scroller.scrollTop =
      wanted === Infinity
        ? scroller.scrollHeight
        : list.getItemOffset(wanted) + (list.getItemSize(wanted) - scroller.clientHeight) / 2;
  };
  const scrollTo = (row: number) => {
    wanted = row;
    scroll();
  };
  const leave = () => {
    wanted = undefined;
  };
  return {
    /** Brings a row into the middle of what is in sight; for Infinity, the end of the list to the lower edge. */
    scrollTo,
    /** A ref callback for the list: brings `row` into sight where one is set. Called anew for each row. */
    revealing: (row: number | undefined) => (next: List | null) => {
      list = next;
      if (next && row !== undefined) scrollTo(row);
    },
    /** Watches the element around the scroller of the list. Returns its own undo. */
    watch: (element: HTMLElement) => {
      scroller = scrollerOf(element);
      const sizes = new ResizeObserver(scroll);
      for (const content of scroller.children) sizes.observe(content);
      // Before any other listener, since a key may also be what leads to a row.
      for (const type of LEAVING) element.addEventListener(type, leave, { capture: true, passive: true });
      return () => {
        sizes.disconnect();
        for (const type of LEAVING) element.removeEventListener(type, leave, { capture: true });
      };
    },
  };
}
