/** The rows of the logs, which only ever grow: a request that ended never changes. */
import type { LogEntry, LogPage } from '#contract/logs.ts';

type Rows = readonly LogEntry[];

const idsOf = (rows: Rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/** How many rows of a page are not known yet. */
export function newIn(rows: Rows, page: LogPage): number {
  const known = idsOf(rows);
  return page.logs.filter(({ id }) => !known.has(id)).length;
}

const lastShared = (rows: Rows, page: LogPage): number => {
  const read = idsOf(page.logs);
  return rows.findLastIndex(({ id }) => read.has(id));
};

/** Whether the rows go on where a beginning that was read later ends; else there is a gap between them. */
export const isConnected = (rows: Rows, page: LogPage): boolean =>
  rows.length === 0 || page.next_page_cursor === null || lastShared(rows, page) >= 0;

/** The rows with the beginning as it is now; those behind a gap are left out. */
export function withBeginning(rows: Rows, page: LogPage): LogEntry[] {
  if (page.next_page_cursor === null || !isConnected(rows, page)) return page.logs;
  const read = idsOf(page.logs);
  return [...page.logs, ...rows.slice(lastShared(rows, page) + 1).filter(({ id }) => !read.has(id))];
}

/** The rows with a further page behind them. */
export function withFurther(rows: Rows, page: LogPage): LogEntry[] {
  const known = idsOf(rows);
  return [...rows, ...page.logs.filter(({ id }) => !known.has(id))];
}
