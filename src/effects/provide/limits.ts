/** The charts of limits, with what they call. */
import { fromPromise } from 'xstate';
import { type LimitIncrease, LIMITS, type OrganizationLimits, type ProjectLimits } from '#contract/limits.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { LimitAbout, LimitsPlace, LimitsRead } from '#machines/workspace/limits/actors.ts';
import { increaseForm, limitForm } from '#machines/workspace/limits/forms.ts';
import { organizationLimitsMachine, projectLimitsMachine } from '#machines/workspace/limits/machine.ts';
import type { MainApi } from '../http/mainApi.ts';

const read = (answer: OrganizationLimits | ProjectLimits): LimitsRead => ({
  limits: answer.limits,
  increases: 'increases' in answer ? answer.increases : [],
});

type Save = Submitted<{ value: number | null }, LimitAbout>;
type Ask = Submitted<{ value: number; reason: string }, LimitAbout>;

export const organizationLimitsOf = (api: MainApi) =>
  organizationLimitsMachine.provide({
    actors: {
      loadLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(await api.organizationLimits(input.orgUuid, signal)),
      ),
      limitForm: limitForm.provide({
        actors: {
          submit: fromPromise<LimitsRead, Save>(async ({ input: { about, values }, signal }) =>
            read(
              await api.updateOrganizationLimits(about.orgUuid, { limits: { [about.limit]: values.value } }, signal),
            ),
          ),
        },
      }),
      increaseForm: increaseForm.provide({
        actors: {
          submit: fromPromise<LimitIncrease, Ask>(({ input: { about, values }, signal }) =>
            api.requestIncrease(about.orgUuid, { limit: about.limit, ...values }, signal),
          ),
        },
      }),
    },
  });

const NONE_OWN = Object.fromEntries(LIMITS.map((limit) => [limit, null]));

export const projectLimitsOf = (api: MainApi) =>
  projectLimitsMachine.provide({
    actors: {
      loadLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(await api.projectLimits(input.projectUuid, signal)),
      ),
      limitForm: limitForm.provide({
        actors: {
          submit: fromPromise<LimitsRead, Save>(async ({ input: { about, values }, signal }) =>
            read(
              await api.configureProjectLimit(about.projectUuid, { limit: about.limit, value: values.value }, signal),
            ),
          ),
        },
      }),
      clearLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(await api.updateProjectLimits(input.projectUuid, { limits: NONE_OWN }, signal)),
      ),
    },
  });
