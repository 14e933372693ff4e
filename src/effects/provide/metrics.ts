/** Provides the charts of the metrics with their effects. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { readMetrics } from '#contract/api/projects.ts';
import { type Metrics, MetricsQuery } from '#contract/metrics.ts';
import { metricsMachine } from '#machines/workspace/metrics/machine.ts';
import type { Range } from '#machines/workspace/usage/range.ts';
import { saveTextFile } from '../browser/saveTextFile.ts';
import type { Caller } from '../http/caller.ts';
import { readToday } from './usage.ts';

export const metricsOf = (call: Caller) =>
  metricsMachine.provide({
    actors: {
      readToday,
      saveTextFile,
      loadMetrics: fromPromise<Metrics, { projectUuid: string; range: Range }>(
        async ({ input: { projectUuid, range }, signal }) =>
          call(readMetrics, { params: { project: projectUuid }, query: v.parse(MetricsQuery, range), signal }),
      ),
    },
  });
