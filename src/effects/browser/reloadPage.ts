import * as v from 'valibot';
import { fromPromise } from 'xstate';
import type { Reloaded } from '#machines/root/actors.ts';
import { KeptDrafts } from '#machines/shared/form/drafts.ts';
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
    reloadPage: fromPromise<never, Reloaded>(({ input: { keptDrafts, route } }) => {
      if (keptDrafts?.drafts.length) {
        storage.write(key, JSON.stringify(keptDrafts));
        page.replace(hrefOf(route));
      } else page.reload();
      return new Promise(() => {});
    }),
    recall(): KeptDrafts | null {
      const keptDrafts = readJson(storage, key, (value) => (v.is(KeptDrafts, value) ? value : undefined)) ?? null;
      storage.remove(key);
      return keptDrafts;
    },
  };
}
