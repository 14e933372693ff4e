/** The redirect helpers: short addresses that lead into the first organization and its first project (NAV-03). */
import type { Destination } from '#machines/shared/route.ts';
import { destination, rowOf, SCREEN_NAMES } from './rows.ts';

/** Every short address with the screen that it stands for. */
export const SHORT_ADDRESSES: ReadonlyMap<string, (typeof SCREEN_NAMES)[number]> = new Map(
  SCREEN_NAMES.flatMap((name) => Object.keys(rowOf(name).short ?? {}).map((path) => [path, name])),
);

/** Which screen a short address stands for; null for any other path, and for a page of billing that there isn't. */
export function destinationOf(
  path: string,
  params: Record<string, string | undefined>,
  search: Record<string, unknown>,
): Destination | null {
  const name = SHORT_ADDRESSES.get(path);
  const details = name && rowOf(name).short?.[path]?.({ params, search });
  return name && details ? destination(name, details) : null;
}
