import type { SwitcherEntry } from './machine.ts';

/** The entries that a search leaves: by a part of the name, or by the beginning of the UUID. An empty search leaves all. */
export function foundIn(entries: readonly SwitcherEntry[], query: string): readonly SwitcherEntry[] {
  const wanted = query.trim().toLowerCase();
  return wanted
    ? entries.filter(({ uuid, name }) => name.toLowerCase().includes(wanted) || uuid.startsWith(wanted))
    : entries;
}
