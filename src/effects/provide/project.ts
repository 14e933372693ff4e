/** The screens of a project and of the person, with what they call. */
import { fromPromise } from 'xstate';
import type { User, UserUpdate } from '#contract/accounts.ts';
import type { ApiKey, ApiKeyCreated } from '#contract/api-keys.ts';
import type { ProjectDetails } from '#contract/organizations.ts';
import type { PageSettings } from '#contract/settings.ts';
import { secretRevealMachine } from '#machines/shared/secretReveal/machine.ts';
import type { KeyRequest } from '#machines/workspace/apiKeys/actors.ts';
import { keyForm } from '#machines/workspace/apiKeys/form.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import type { PersonRemoval, PersonRequest, ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import type { ProjectSaved } from '#machines/workspace/settings/project/actors.ts';
import { projectDeletionForm, projectDetailsForm } from '#machines/workspace/settings/project/forms.ts';
import { projectSettingsMachine } from '#machines/workspace/settings/project/machine.ts';
import type { PasswordValues } from '#machines/workspace/settings/user/actors.ts';
import { changePasswordForm, profileForm } from '#machines/workspace/settings/user/forms.ts';
import { userSettingsMachine } from '#machines/workspace/settings/user/machine.ts';
import type { Submitted } from './index.ts';
import type { MainApi } from '../http/mainApi.ts';
import { copyText } from '../browser/clipboard.ts';
import { memberRemovalOf } from './memberRemoval.ts';
import { usageOf } from './usage.ts';
import { createPasswordAdviser } from '../browser/passwordAdviser.ts';

type OfProject = { projectUuid: string };

const MS_PER_DAY = 86_400_000;

/** The charts of a project's screens, for the workspace. */
export const projectScreens = (api: MainApi) => ({
  apiKeys: apiKeysOf(api),
  usageCost: usageOf(api),
  usageActivity: usageOf(api),
  projectSettings: projectSettingsOf(api),
});

const apiKeysOf = (api: MainApi) =>
  apiKeysMachine.provide({
    actors: {
      loadKeys: fromPromise<readonly ApiKey[], OfProject>(
        async ({ input, signal }) => (await api.apiKeys(input.projectUuid, signal)).api_keys,
      ),
      revokeKey: fromPromise<void, OfProject & { keyUuid: string }>(async ({ input, signal }) => {
        await api.revokeApiKey(input.projectUuid, input.keyUuid, signal);
      }),
      keyForm: keyForm.provide({
        actors: {
          submit: fromPromise<ApiKeyCreated, Submitted<KeyRequest>>(
            ({
              input: {
                values: { projectUuid, name, expiresInDays },
              },
              signal,
            }) => {
              const expires_at =
                expiresInDays === null ? null : new Date(Date.now() + expiresInDays * MS_PER_DAY).toISOString();
              return api.createApiKey(projectUuid, { name, expires_at }, signal);
            },
          ),
        },
      }),
      secretReveal: secretRevealMachine.provide({ actors: { copyText } }),
    },
  });

const projectSettingsOf = (api: MainApi) =>
  projectSettingsMachine.provide({
    actors: {
      loadProject: fromPromise<ProjectDetails, OfProject>(({ input, signal }) =>
        api.project(input.projectUuid, signal),
      ),
      projectDetailsForm: projectDetailsForm.provide({
        actors: {
          submit: fromPromise<ProjectDetails, Submitted<ProjectSaved>>(
            ({
              input: {
                values: { projectUuid, name, description },
              },
              signal,
            }) => api.updateProject(projectUuid, { name, description }, signal),
          ),
        },
      }),
      projectPeople: projectPeopleOf(api),
      projectDeletionForm: projectDeletionForm.provide({
        actors: {
          submit: fromPromise<void, Submitted<OfProject>>(async ({ input, signal }) => {
            await api.deleteProject(input.values.projectUuid, signal);
          }),
        },
      }),
    },
  });

const projectPeopleOf = (api: MainApi) =>
  projectPeopleMachine.provide({
    actors: {
      loadProjectPeople: fromPromise<ProjectPeople, OfProject & { orgUuid: string }>(
        async ({ input: { orgUuid, projectUuid }, signal }) => {
          const [{ users: people }, { users: members }] = await Promise.all([
            api.projectMembers(projectUuid, signal),
            api.members(orgUuid, signal),
          ]);
          return { people, others: members.filter(({ uuid }) => !people.some((person) => person.uuid === uuid)) };
        },
      ),
      addPerson: fromPromise<void, PersonRequest>(async ({ input: { projectUuid, userUuid }, signal }) => {
        await api.addProjectMember(projectUuid, userUuid, signal);
      }),
      memberRemoval: memberRemovalOf(api),
      removePerson: fromPromise<void, PersonRemoval>(
        async ({ input: { projectUuid, userUuid, revokesKeys }, signal }) => {
          await api.removeProjectMember(projectUuid, userUuid, revokesKeys, signal);
        },
      ),
    },
  });

/** The chart of the person's own screen. */
export const userSettingsOf = (api: MainApi, settings: PageSettings) =>
  userSettingsMachine.provide({
    actors: {
      profileForm: profileForm.provide({
        actors: {
          submit: fromPromise<User, Submitted<UserUpdate>>(({ input, signal }) => api.updateUser(input.values, signal)),
        },
      }),
      changePasswordForm: changePasswordForm.provide({
        actors: {
          submit: fromPromise<void, Submitted<PasswordValues>>(
            async ({
              input: {
                values: { current_password, new_password },
              },
              signal,
            }) => {
              await api.changePassword({ current_password, new_password }, signal);
            },
          ),
          adviser: createPasswordAdviser(settings),
        },
      }),
    },
  });
