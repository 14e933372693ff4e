import * as v from 'valibot';
import { fromCallback, fromPromise } from 'xstate';
import type { Newcomer, NewcomerCommand } from '#machines/visitor/ssoCallback/actors.ts';
import { readJson, type TextStorage } from '../browser/webStorage.ts';

const Kept = v.object({ signupToken: v.string(), email: v.string(), name: v.string(), from: v.nullable(v.string()) });

/**
 * Keeps who is asked for an account over a reload of the page (CON-08). The token makes an account and nothing else, once, and only
 * for a few minutes; `storage` is that of the tab, so that it goes with it.
 */
export function createNewcomerMemory(storage: TextStorage, product: string) {
  const key = `${product}_sso_newcomer`;
  return {
    newcomerMemory: fromCallback<NewcomerCommand, void>(({ receive }) => {
      receive((command) => {
        if (command.type === 'newcomer.kept') storage.write(key, JSON.stringify(command.newcomer));
        else storage.remove(key);
      });
    }),
    recallNewcomer: fromPromise<Newcomer | null, void>(
      async () => readJson(storage, key, (value) => (v.is(Kept, value) ? value : undefined)) ?? null,
    ),
  };
}
