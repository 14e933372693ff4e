// Joins the pages of a list that is read from the server page by page, the newest rows first.

export type Row = { readonly id: string };

/** A page, or all that is loaded; `nextCursor` null means that it goes to the end. */
type Rows<Item extends Row> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

/** The items that `rows` do not have yet. */
export function newAmong<Item extends Row>(items: readonly Item[], rows: readonly Row[]): Item[] {
  const known = new Set(rows.map(({ id }) => id));
  return items.filter(({ id }) => !known.has(id));
}

/** Index of the last row that is also in `page`; -1 if there is none. */
function lastSharedIndex<Item extends Row>(rows: readonly Item[], page: Rows<Item>): number {
  const read = new Set(page.items.map(({ id }) => id));
  return rows.findLastIndex(({ id }) => read.has(id));
}

/** Whether the rows follow a newer first page without a gap. */
export const isConnected = <Item extends Row>(rows: readonly Item[], first: Rows<Item>): boolean =>
  rows.length === 0 || first.nextCursor === null || lastSharedIndex(rows, first) >= 0;

/** Replaces the beginning of the loaded rows with a newer first page. Drops all of them if there is a gap between. */
export function withBeginning<Item extends Row>(loaded: Rows<Item>, first: Rows<Item>): Rows<Item> {
  const lastShared = lastSharedIndex(loaded.items, first);
  if (first.nextCursor === null || lastShared < 0) return first;
  return { items: [...first.items, ...loaded.items.slice(lastShared + 1)], nextCursor: loaded.nextCursor };
}
