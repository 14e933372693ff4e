/** The question before a member is removed, with what it reads. */
import { fromPromise } from 'xstate';
import type { MadeApiKey } from '#contract/api-keys.ts';
import type { Removed } from '#machines/workspace/memberRemoval/actors.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import type { MainApi } from '../http/mainApi.ts';

export const memberRemovalOf = (api: MainApi) =>
  memberRemovalMachine.provide({
    actors: {
      loadMadeKeys: fromPromise<readonly MadeApiKey[], Removed>(
        async ({ input: { orgUuid, userUuid, projectUuid }, signal }) => {
          const { api_keys } = await (projectUuid === null
            ? api.madeKeys(orgUuid, userUuid, signal)
            : api.madeProjectKeys(projectUuid, userUuid, signal));
          return api_keys;
        },
      ),
    },
  });
