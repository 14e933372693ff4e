import * as v from 'valibot';
import { fromPromise } from 'xstate';
import type { Reloaded } from '#machines/root/actors.ts';
import { LeftDrafts } from '#machines/shared/form/drafts.ts';
import { hrefOf } from '../../locations.ts';
import { readJson, type TextStorage } from './webStorage.ts';

/**
 * Reloads the page. Typed input goes along in `storage`, which is the tab's, to the screen on which it was typed;
 * `recall` gives it once to the new page.
 */
export function createReloadPage(
  storage: TextStorage,
  product: string,
  page: Pick<Location, 'reload' | 'replace'> = location,
) {
  const key = `${product}_left`;
  return {
    reloadPage: fromPromise<never, Reloaded>(({ input: { left, route } }) => {
      if (left?.drafts.length) {
        storage.write(key, JSON.stringify(left));
        page.replace(hrefOf(route));
      } else page.reload();
      return new Promise(() => {});
    }),
    recall(): LeftDrafts | null {
      const left = readJson(storage, key, (value) => (v.is(LeftDrafts, value) ? value : undefined)) ?? null;
      storage.remove(key);
      return left;
    },
  };
}
