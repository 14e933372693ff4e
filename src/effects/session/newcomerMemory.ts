import * as v from 'valibot';
import { fromCallback, fromPromise } from 'xstate';
import type { Newcomer, NewcomerCommand } from '#machines/visitor/ssoCallback/actors.ts';
import { readJson, type TextStorage } from '../browser/webStorage.ts';

const StoredNewcomer = v.object({
  signupToken: v.string(),
  email: v.string(),
  name: v.string(),
  from: v.nullable(v.string()),
});

/**
 * Keeps a new person's sign-up by single sign-on over a reload (CON-08). Its token makes one account, within a few
 * minutes, and nothing else. `storage` is the tab's, so that closing the tab removes it.
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
      async () => readJson(storage, key, (value) => (v.is(StoredNewcomer, value) ? value : undefined)) ?? null,
    ),
  };
}
