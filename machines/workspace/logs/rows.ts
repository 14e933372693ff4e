// Joins pages of the logs. Only a row of refused requests changes: it counts further ones.
import type { LogEntry, LogPage } from '#contract/logs.ts';
import type { ListPage } from '../../shared/pagedList/actors.ts';
import { isConnected, newAmong, withBeginning } from '../../shared/pagedList/rows.ts';
import type { LogsContext } from './context.ts';

const listPageOf = ({ logs, next_page_cursor }: LogPage): ListPage<LogEntry> => ({
  items: logs,
  nextCursor: next_page_cursor,
});

/** Whether the shown rows follow a newer first page without a gap. */
export const followsOn = ({ rows }: Pick<LogsContext, 'rows'>, page: LogPage): boolean =>
  isConnected(rows, listPageOf(page));

/** Number of the page's requests that are not shown. */
export const newOn = ({ rows }: Pick<LogsContext, 'rows'>, page: LogPage): number => newAmong(page.logs, rows).length;

/** Shows a newer first page above the rows, or instead of them if there is a gap between. */
export function withNewest(context: LogsContext, page: LogPage): Partial<LogsContext> {
  const loaded = { items: context.rows, nextCursor: context.nextCursor };
  const { items, nextCursor } = withBeginning(loaded, listPageOf(page));
  return {
    rows: items,
    nextCursor,
    choices: page.choices,
    fresh: null,
    arrival: { what: 'new', count: newOn(context, page) },
  };
}

/** Replaces shown rows by those of a newer first page without new ones. */
export function withChanged({ rows }: LogsContext, { logs, choices }: LogPage): Partial<LogsContext> {
  const read = new Map(logs.map((entry) => [entry.id, entry]));
  return { rows: rows.map((row) => read.get(row.id) ?? row), choices };
}

/** Appends the next page. */
export function withFurther({ rows }: LogsContext, page: LogPage): Partial<LogsContext> {
  const further = newAmong(page.logs, rows);
  return {
    rows: [...rows, ...further],
    nextCursor: page.next_page_cursor,
    failure: null,
    focusId: further[0]?.id ?? null,
    arrival: { what: 'further', count: further.length },
  };
}

/** Number of new requests that wait above the list; `isMore`: at least so many. */
export const waitingIn = (context: Pick<LogsContext, 'rows' | 'fresh'>): { count: number; isMore: boolean } =>
  context.fresh === null
    ? { count: 0, isMore: false }
    : { count: newOn(context, context.fresh), isMore: !followsOn(context, context.fresh) };
