/** What of a virtual list can bring one of its rows into the page. */
type List = { scrollToIndex: (row: number, options: { align: 'center' }) => void };

/** Scrolls a virtual list to its rows; the list comes and goes with what it shows. */
export function createRowScroller() {
  let list: List | null = null;
  const scrollTo = (row: number) => list?.scrollToIndex(row, { align: 'center' });
  return {
    scrollTo,
    /** A ref callback for the list: brings `row` into sight where one is set. Called anew for each row. */
    revealing: (row: number | undefined) => (next: List | null) => {
      list = next;
      if (row !== undefined) scrollTo(row);
    },
  };
}
