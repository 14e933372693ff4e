import type { ApiKey } from '#contract/api-keys.ts';
import { reordered, type Direction, type Order } from '../usage/order.ts';

/** The columns by which API keys can be sorted. */
export const KEY_COLUMNS = ['name', 'created_at', 'last_used_at', 'expires_at'] as const;
export type KeyColumn = (typeof KEY_COLUMNS)[number];
export type KeyOrder = Order<KeyColumn>;

/** The order in which the server sends them. */
export const NEWEST_FIRST: KeyOrder = { column: 'created_at', direction: 'descending' };

/** Names from A; what was created or used last first; what expires first first. */
const FIRST: Readonly<Record<KeyColumn, Direction>> = {
  name: 'ascending',
  created_at: 'descending',
  last_used_at: 'descending',
  expires_at: 'ascending',
};

/** The order after a column was chosen; the other way round if chosen again. */
export const ordered = (order: KeyOrder, chosen: KeyColumn): KeyOrder => reordered(order, chosen, FIRST[chosen]);

/** The text by which a column is sorted. Never used is before all times, never expiring after them. */
const textOf = (key: ApiKey, column: KeyColumn): string => key[column] ?? (column === 'expires_at' ? '9' : '');

/** Sorts keys; equal ones stay in the order of the server. */
export function inOrder(keys: readonly ApiKey[], { column, direction }: KeyOrder): ApiKey[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return keys.toSorted((one, other) => sign * textOf(one, column).localeCompare(textOf(other, column), 'en'));
}
