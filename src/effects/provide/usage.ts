/** Provides the chart of usage and its cost with its effects. */
import { fromPromise } from 'xstate';
import { readOrganizationActivity, readOrganizationCost } from '#contract/api/organizations.ts';
import { readProjectActivity, readProjectCost } from '#contract/api/projects.ts';
import type { ChartName, Usage, UsageScope } from '#machines/workspace/usage/actors.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import type { Range } from '#machines/workspace/usage/range.ts';
import type { Caller } from '../http/caller.ts';

/** Today in UTC, by this device's clock. */
export const readToday = fromPromise<string, void>(() => Promise.resolve(new Date().toISOString().slice(0, 10)));

export const usageOf = (call: Caller) =>
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
                ? call(readOrganizationCost, { params: { organization: orgUuid }, json: range, signal })
                : call(readProjectCost, { params: { project: projectUuid }, json: range, signal })),
            };
          return {
            chart,
            figures: await (projectUuid === null
              ? call(readOrganizationActivity, { params: { organization: orgUuid }, json: range, signal })
              : call(readProjectActivity, { params: { project: projectUuid }, json: range, signal })),
          };
        },
      ),
    },
  });
