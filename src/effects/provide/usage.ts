/** The chart of what was used and what it cost, with what it calls. */
import { fromPromise } from 'xstate';
import type { ChartName, Usage, UsageScope } from '#machines/workspace/usage/actors.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import type { Range } from '#machines/workspace/usage/range.ts';
import type { MainApi } from '../http/mainApi.ts';

/** The day of UTC by the clock of this device. */
export const readToday = fromPromise<string, void>(() => Promise.resolve(new Date().toISOString().slice(0, 10)));

export const usageOf = (api: MainApi) =>
  usageMachine.provide({
    actors: {
      readToday,
      loadUsage: fromPromise<Usage, { scope: UsageScope; chart: ChartName; range: Range }>(
        async ({
          input: {
            scope: { orgUuid, projectUuid },
            chart,
            range,
          },
          signal,
        }) => {
          if (chart === 'cost')
            return {
              chart,
              figures: await (projectUuid === null
                ? api.organizationCost(orgUuid, range, signal)
                : api.projectCost(projectUuid, range, signal)),
            };
          return {
            chart,
            figures: await (projectUuid === null
              ? api.organizationActivity(orgUuid, range, signal)
              : api.projectActivity(projectUuid, range, signal)),
          };
        },
      ),
    },
  });
