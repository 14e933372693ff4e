import type { SwitcherEntry } from './machine.ts';

/** The entries whose name contains the query or whose UUID begins with it; all for an empty query. */
export function foundIn(entries: readonly SwitcherEntry[], query: string): readonly SwitcherEntry[] {
  const wanted = query.trim().toLowerCase();
  return wanted
    ? entries.filter(({ uuid, name }) => name.toLowerCase().includes(wanted) || uuid.startsWith(wanted))
    : entries;
}
