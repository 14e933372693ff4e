import { expect, it } from 'vitest';
import { inOrder, NEWEST_FIRST, ordered, type KeyColumn, type KeyOrder } from '#machines/workspace/apiKeys/order.ts';
import { apiKey } from '../../people.ts';

const [may, june] = ['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'];
/** As the server sends them. */
const keys = [
  { ...apiKey('k3', 'build'), created_at: june, last_used_at: may, expires_at: null },
  { ...apiKey('k2', 'Ci'), created_at: may, last_used_at: null, expires_at: june },
  { ...apiKey('k1', 'Archive'), created_at: may, last_used_at: june, expires_at: may },
];

it.each<[KeyColumn, string[], string[]]>([
  ['name', ['k1', 'k3', 'k2'], ['k2', 'k3', 'k1']],
  // Of those made at the same time the newer one stays first.
  ['created_at', ['k2', 'k1', 'k3'], ['k3', 'k2', 'k1']],
  ['last_used_at', ['k1', 'k3', 'k2'], ['k2', 'k3', 'k1']],
  ['expires_at', ['k1', 'k2', 'k3'], ['k3', 'k2', 'k1']],
])('PRJ-03: keys are sorted by %s, and the other way round when it is chosen again', (column, first, second) => {
  const idsIn = (order: KeyOrder) => inOrder(keys, order).map(({ uuid }) => uuid);
  const once = ordered(NEWEST_FIRST, column);
  expect(idsIn(once)).toEqual(first);
  expect(idsIn(ordered(once, column))).toEqual(second);
  expect(idsIn(NEWEST_FIRST)).toEqual(['k3', 'k2', 'k1']);
});
