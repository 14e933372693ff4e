/** Provides the chart of a project's logs with its effects. */
import { fromPromise } from 'xstate';
import { listLogs, readLog } from '#contract/api/projects.ts';
import type { LogDetails, LogPage } from '#contract/logs.ts';
import type { LogsRequest } from '#machines/workspace/logs/actors.ts';
import { logDetailsMachine } from '#machines/workspace/logs/details/machine.ts';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import type { Caller } from '../http/caller.ts';
import { pageAt } from '../http/pages.ts';
import type { Download } from './download.ts';

/** Reads one request of the logs. */
export const loadLogOf = (call: Caller) =>
  fromPromise<LogDetails, { projectUuid: string; id: string }>(({ input, signal }) =>
    call(readLog, { params: { project: input.projectUuid, log: input.id }, signal }),
  );

export const logsOf = (call: Caller, download: Download) =>
  logsMachine.provide({
    actors: {
      readStart: fromPromise<string | null, { lengthMs: number | null }>(({ input: { lengthMs } }) =>
        Promise.resolve(lengthMs === null ? null : new Date(Date.now() - lengthMs).toISOString()),
      ),
      loadLogs: fromPromise<LogPage, LogsRequest>(({ input: { projectUuid, filter, cursor }, signal }) =>
        call(listLogs, { params: { project: projectUuid }, query: { ...filter, ...pageAt(cursor) }, signal }),
      ),
      details: logDetailsMachine.provide({
        actors: {
          loadLog: loadLogOf(call),
        },
      }),
      download,
    },
  });
