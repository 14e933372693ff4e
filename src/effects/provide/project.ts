/** Provides the charts of a project's screens, and of the person's, with their effects. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { listMembers } from '#contract/api/members.ts';
import {
  addProjectMember,
  createApiKey,
  deleteProject,
  listApiKeys,
  listProjectMembers,
  readApiKey,
  readProject,
  readProjectHome,
  removeProjectMember,
  revokeApiKey,
  updateProject,
} from '#contract/api/projects.ts';
import { changePassword, checkAccountDeletion, deleteAccount, updateUser } from '#contract/api/user.ts';
import type { AccountDeletion, AccountDeletionCheck, User, UserUpdate } from '#contract/accounts.ts';
import type { ApiKey } from '#contract/api-keys.ts';
import { ProjectUpdate, type ProjectDetails } from '#contract/organizations.ts';
import type { ProjectHome } from '#contract/project-home.ts';
import type { PageSettings } from '#contract/settings.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { secretRevealMachine } from '#machines/shared/secretReveal/machine.ts';
import type { KeyRequest, MemberKey } from '#machines/workspace/apiKeys/actors.ts';
import { firstCallMachine } from '#machines/workspace/apiKeys/firstCall/machine.ts';
import { keyForm } from '#machines/workspace/apiKeys/form.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import type { PersonRemoval, PersonRequest, ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import { projectHomeMachine } from '#machines/workspace/projectHome/machine.ts';
import type { PlaceDetails } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import type { PasswordOwner, PasswordValues } from '#machines/workspace/settings/user/actors.ts';
import { accountDeletionForm } from '#machines/workspace/settings/user/deletion/form.ts';
import { accountDeletionMachine } from '#machines/workspace/settings/user/deletion/machine.ts';
import { changePasswordForm, profileForm } from '#machines/workspace/settings/user/forms.ts';
import { userSettingsMachine } from '#machines/workspace/settings/user/machine.ts';
import type { Caller } from '../http/caller.ts';
import { copyText } from '../browser/clipboard.ts';
import type { Download } from './download.ts';
import { projectLimitsOf } from './limits.ts';
import { logsOf } from './logs.ts';
import { memberRemovalOf } from './memberRemoval.ts';
import { settingsOf } from './settings.ts';
import { metricsOf } from './metrics.ts';
import { usageOf } from './usage.ts';
import { webhooksOf } from './webhooks.ts';
import { createPasswordCheck } from '../browser/passwordCheck.ts';

type OfProject = { projectUuid: string };

const MS_PER_DAY = 86_400_000;

/** The charts of a project's screens, for the workspace. `baseUrl` is that of the speech API, without `/v1`. */
export const projectScreens = (call: Caller, baseUrl: string, download: Download) => ({
  project: projectHomeMachine.provide({
    actors: {
      loadHome: fromPromise<ProjectHome, OfProject>(({ input, signal }) =>
        call(readProjectHome, { params: { project: input.projectUuid }, signal }),
      ),
    },
  }),
  apiKeys: apiKeysOf(call, baseUrl),
  webhooks: webhooksOf(call),
  usageCost: usageOf(call),
  usageActivity: usageOf(call),
  logs: logsOf(call, download),
  metrics: metricsOf(call),
  projectLimits: projectLimitsOf(call),
  projectSettings: projectSettingsOf(call),
});

const apiKeysOf = (call: Caller, baseUrl: string) =>
  apiKeysMachine.provide({
    actors: {
      loadKeys: fromPromise<readonly ApiKey[], OfProject>(
        async ({ input, signal }) =>
          (await call(listApiKeys, { params: { project: input.projectUuid }, signal })).api_keys,
      ),
      revokeKey: fromPromise<void, OfProject & { keyUuid: string }>(async ({ input, signal }) => {
        await call(revokeApiKey, { params: { project: input.projectUuid, key: input.keyUuid }, signal });
      }),
      keyForm: keyForm.provide({
        actors: {
          submit: fromPromise<MemberKey, Submitted<KeyRequest, OfProject>>(
            async ({
              input: {
                about: { projectUuid },
                values: { name, expiresInDays },
              },
              signal,
            }) => {
              const expires_at =
                expiresInDays === null ? null : new Date(Date.now() + expiresInDays * MS_PER_DAY).toISOString();
              const made = await call(createApiKey, {
                params: { project: projectUuid },
                json: { name, expires_at },
                signal,
              });
              return { ...made, baseUrl };
            },
          ),
        },
      }),
      secretReveal: secretRevealMachine.provide({ actors: { copyText } }),
      firstCall: firstCallMachine.provide({
        actors: {
          readKey: fromPromise<ApiKey, OfProject & { keyUuid: string }>(({ input, signal }) =>
            call(readApiKey, { params: { project: input.projectUuid, key: input.keyUuid }, signal }),
          ),
        },
      }),
    },
  });

const detailsOf = ({ uuid, name, description }: ProjectDetails): PlaceDetails => ({
  uuid,
  fields: { name, description },
});

const projectSettingsOf = (call: Caller) =>
  projectSettings.machine.provide({
    actors: {
      projectPeople: projectPeopleOf(call),
      ...settingsOf(projectSettings, {
        load: async ({ projectUuid }, signal) =>
          detailsOf(await call(readProject, { params: { project: projectUuid }, signal })),
        save: async ({ projectUuid }, values, signal) =>
          detailsOf(
            await call(updateProject, {
              params: { project: projectUuid },
              json: v.parse(ProjectUpdate, values),
              signal,
            }),
          ),
        remove: async ({ projectUuid }, signal) => {
          await call(deleteProject, { params: { project: projectUuid }, signal });
        },
      }),
    },
  });

const projectPeopleOf = (call: Caller) =>
  projectPeopleMachine.provide({
    actors: {
      loadProjectPeople: fromPromise<ProjectPeople, OfProject & { orgUuid: string }>(
        async ({ input: { orgUuid, projectUuid }, signal }) => {
          const [{ users: people }, { users: members }] = await Promise.all([
            call(listProjectMembers, { params: { project: projectUuid }, signal }),
            call(listMembers, { params: { organization: orgUuid }, signal }),
          ]);
          return { people, others: members.filter(({ uuid }) => !people.some((person) => person.uuid === uuid)) };
        },
      ),
      addPerson: fromPromise<void, PersonRequest>(async ({ input: { projectUuid, userUuid }, signal }) => {
        await call(addProjectMember, { params: { project: projectUuid }, json: { user_uuid: userUuid }, signal });
      }),
      memberRemoval: memberRemovalOf(call),
      removePerson: fromPromise<void, PersonRemoval>(
        async ({ input: { projectUuid, userUuid, revokesKeys }, signal }) => {
          await call(removeProjectMember, {
            params: { project: projectUuid },
            json: { user_uuid: userUuid, revoke_api_keys: revokesKeys },
            signal,
          });
        },
      ),
    },
  });

/** The chart of the person's own screen. */
export const userSettingsOf = (call: Caller, settings: PageSettings, download: Download) =>
  userSettingsMachine.provide({
    actors: {
      download,
      profileForm: profileForm.provide({
        actors: {
          submit: fromPromise<User, Submitted<UserUpdate, {}>>(({ input, signal }) =>
            call(updateUser, { json: input.values, signal }),
          ),
        },
      }),
      changePasswordForm: changePasswordForm.provide({
        actors: {
          submit: fromPromise<void, Submitted<PasswordValues, PasswordOwner>>(
            async ({
              input: {
                values: { current_password, new_password },
              },
              signal,
            }) => {
              await call(changePassword, { json: { current_password, new_password }, signal });
            },
          ),
          passwordCheck: createPasswordCheck(settings),
        },
      }),
      accountDeletion: accountDeletionMachine.provide({
        actors: {
          checkDeletion: fromPromise<AccountDeletionCheck, void>(({ signal }) =>
            call(checkAccountDeletion, { signal }),
          ),
          accountDeletionForm: accountDeletionForm.provide({
            actors: {
              submit: fromPromise<void, Submitted<AccountDeletion, PasswordOwner>>(async ({ input, signal }) => {
                await call(deleteAccount, { json: input.values, signal });
              }),
            },
          }),
        },
      }),
    },
  });
