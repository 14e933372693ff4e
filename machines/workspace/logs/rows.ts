// Merges pages of the logs. Rows never change, because only ended requests are logged.
import type { LogEntry, LogPage } from '#contract/logs.ts';

type Rows = readonly LogEntry[];

const idsOf = (rows: Rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/** Number of rows in a page that are new. */
export function newIn(rows: Rows, page: LogPage): number {
  const known = idsOf(rows);
  return page.logs.filter(({ id }) => !known.has(id)).length;
}

const lastSharedIndex = (rows: Rows, page: LogPage): number => {
  const pageIds = idsOf(page.logs);
  return rows.findLastIndex(({ id }) => pageIds.has(id));
};

/** Whether the rows follow a newer first page without a gap. */
export const isConnected = (rows: Rows, page: LogPage): boolean =>
  rows.length === 0 || page.next_page_cursor === null || lastSharedIndex(rows, page) >= 0;

/** Replaces the beginning with a newer first page; drops rows behind a gap. */
export function withBeginning(rows: Rows, page: LogPage): LogEntry[] {
  if (page.next_page_cursor === null || !isConnected(rows, page)) return page.logs;
  const pageIds = idsOf(page.logs);
  return [...page.logs, ...rows.slice(lastSharedIndex(rows, page) + 1).filter(({ id }) => !pageIds.has(id))];
}

/** Appends the next page. */
export function withFurther(rows: Rows, page: LogPage): LogEntry[] {
  const known = idsOf(rows);
  return [...rows, ...page.logs.filter(({ id }) => !known.has(id))];
}
