/** Whether the console is to be inspected. Its own file, because every start asks. */
import type { TextStorage } from '../browser/webStorage.ts';

export type InspectionWish = { where: 'local' | 'stately'; isRemembered: boolean };

/**
 * What `?inspect` in the address asks for. The tab remembers it for the addresses without, until `?inspect=off`; the
 * hosted inspector is asked for each time, because it is in a window of its own.
 */
export function readWish({ searchParams }: URL, storage: TextStorage, product: string): InspectionWish | undefined {
  const key = `${product}_inspect`;
  const asked = searchParams.get('inspect');
  if (asked === 'off') storage.remove(key);
  if (asked === 'stately') return { where: 'stately', isRemembered: false };
  if (asked === null || asked === 'off')
    return storage.read(key) === null ? undefined : { where: 'local', isRemembered: true };
  storage.write(key, 'on');
  return { where: 'local', isRemembered: false };
}
