/** Provides the charts of limits with their effects. */
import { fromPromise } from 'xstate';
import {
  configureProjectLimit,
  readOrganizationLimits,
  readProjectLimits,
  requestLimitIncrease,
  updateOrganizationLimits,
  updateProjectLimits,
} from '#contract/api/limits.ts';
import { type LimitIncrease, LIMITS, type OrganizationLimits, type ProjectLimits } from '#contract/limits.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { LimitSubject, LimitsPlace, LimitsRead } from '#machines/workspace/limits/actors.ts';
import { increaseForm, limitForm } from '#machines/workspace/limits/forms.ts';
import { organizationLimitsMachine, projectLimitsMachine } from '#machines/workspace/limits/machine.ts';
import type { Caller } from '../http/caller.ts';

const read = (answer: OrganizationLimits | ProjectLimits): LimitsRead => ({
  limits: answer.limits,
  increases: 'increases' in answer ? answer.increases : [],
});

type Save = Submitted<{ value: number | null }, LimitSubject>;
type Ask = Submitted<{ value: number; reason: string }, LimitSubject>;

export const organizationLimitsOf = (call: Caller) =>
  organizationLimitsMachine.provide({
    actors: {
      loadLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(await call(readOrganizationLimits, { params: { organization: input.orgUuid }, signal })),
      ),
      limitForm: limitForm.provide({
        actors: {
          submit: fromPromise<LimitsRead, Save>(async ({ input: { about, values }, signal }) =>
            read(
              await call(updateOrganizationLimits, {
                params: { organization: about.orgUuid },
                json: { limits: { [about.limit]: values.value } },
                signal,
              }),
            ),
          ),
        },
      }),
      increaseForm: increaseForm.provide({
        actors: {
          submit: fromPromise<LimitIncrease, Ask>(({ input: { about, values }, signal }) =>
            call(requestLimitIncrease, {
              params: { organization: about.orgUuid },
              json: { limit: about.limit, ...values },
              signal,
            }),
          ),
        },
      }),
    },
  });

const NONE_OWN = Object.fromEntries(LIMITS.map((limit) => [limit, null]));

export const projectLimitsOf = (call: Caller) =>
  projectLimitsMachine.provide({
    actors: {
      loadLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(await call(readProjectLimits, { params: { project: input.projectUuid }, signal })),
      ),
      limitForm: limitForm.provide({
        actors: {
          submit: fromPromise<LimitsRead, Save>(async ({ input: { about, values }, signal }) =>
            read(
              await call(configureProjectLimit, {
                params: { project: about.projectUuid },
                json: { limit: about.limit, value: values.value },
                signal,
              }),
            ),
          ),
        },
      }),
      clearLimits: fromPromise<LimitsRead, LimitsPlace>(async ({ input, signal }) =>
        read(
          await call(updateProjectLimits, {
            params: { project: input.projectUuid },
            json: { limits: NONE_OWN },
            signal,
          }),
        ),
      ),
    },
  });
