import { scrollerOf } from './rowSelection.ts';

/** Offsets and sizes of a virtual list's rows, in pixels; estimates until a row is measured. */
type List = { getItemOffset: (row: number) => number; getItemSize: (row: number) => number };

/** Input by which the user moves on. */
const LEAVING = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls a virtual list, which may come and go, to a row. The row's place is known only once the rows around it are
 * measured, so this scrolls again whenever the list's height changes, until the user moves on. (The list's own
 * scrolling gives up after a time, and does not yield to the user before.)
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
    /** Scrolls a row to the middle of the view; Infinity scrolls to the end of the list. */
    scrollTo,
    /** Makes a ref callback for the list that scrolls to `row`, if set. */
    revealing: (row: number | undefined) => (next: List | null) => {
      list = next;
      if (next && row !== undefined) scrollTo(row);
    },
    /** Watches the element around the list's scroller. Returns its undo. */
    watch: (element: HTMLElement) => {
      scroller = scrollerOf(element);
      const sizes = new ResizeObserver(scroll);
      for (const content of scroller.children) sizes.observe(content);
      // In the capture phase, before a key that scrolls to a row is handled.
      for (const type of LEAVING) element.addEventListener(type, leave, { capture: true, passive: true });
      return () => {
        sizes.disconnect();
        for (const type of LEAVING) element.removeEventListener(type, leave, { capture: true });
      };
    },
  };
}
