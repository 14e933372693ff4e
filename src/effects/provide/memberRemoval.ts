/** Provides the chart that asks before a member is removed with its effects. */
import { fromPromise } from 'xstate';
import { listMemberKeys } from '#contract/api/members.ts';
import { listMadeProjectKeys } from '#contract/api/projects.ts';
import type { MemberApiKey } from '#contract/api-keys.ts';
import type { MemberToRemove } from '#machines/workspace/memberRemoval/actors.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import type { Caller } from '../http/caller.ts';

export const memberRemovalOf = (call: Caller) =>
  memberRemovalMachine.provide({
    actors: {
      loadMemberKeys: fromPromise<readonly MemberApiKey[], MemberToRemove>(
        async ({ input: { orgUuid, userUuid, projectUuid }, signal }) => {
          const { api_keys } = await (projectUuid === null
            ? call(listMemberKeys, { params: { organization: orgUuid, user: userUuid }, signal })
            : call(listMadeProjectKeys, { params: { project: projectUuid, user: userUuid }, signal }));
          return api_keys;
        },
      ),
    },
  });
