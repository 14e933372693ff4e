/** Short addresses, which redirect into the first organization and its first project (NAV-03). */
import type { Destination } from '#machines/shared/route.ts';
import { destination, rowOf, SCREEN_NAMES } from './rows.ts';

/** The screen of each short address. */
export const SHORT_ADDRESSES: ReadonlyMap<string, (typeof SCREEN_NAMES)[number]> = new Map(
  SCREEN_NAMES.flatMap((name) => Object.keys(rowOf(name).short ?? {}).map((path) => [path, name])),
);

/** The screen of a short address, with its details; null for other paths, and if the address names nothing. */
export function destinationOf(
  path: string,
  params: Record<string, string | undefined>,
  search: Record<string, unknown>,
): Destination | null {
  const name = SHORT_ADDRESSES.get(path);
  const details = name && rowOf(name).short?.[path]?.({ params, search });
  return name && details ? destination(name, details) : null;
}
