/** The chart of a project's logs, with what it calls. */
import { fromPromise } from 'xstate';
import type { LogDetails, LogPage } from '#contract/logs.ts';
import type { LogsRequest } from '#machines/workspace/logs/actors.ts';
import { logDetailsMachine } from '#machines/workspace/logs/details/machine.ts';
import type { LogsToSave } from '#machines/workspace/logs/download/actors.ts';
import { logDownloadMachine } from '#machines/workspace/logs/download/machine.ts';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import { saveFile } from '../browser/saveTextFile.ts';
import type { Downloader } from '../http/caller.ts';
import { downloadLogs, type MainApi } from '../http/mainApi.ts';

const now = (): string => new Date().toISOString();

export const logsOf = (api: MainApi, download: Downloader) =>
  logsMachine.provide({
    actors: {
      readStart: fromPromise<string | null, { lengthMs: number | null }>(({ input: { lengthMs } }) =>
        Promise.resolve(lengthMs === null ? null : new Date(Date.now() - lengthMs).toISOString()),
      ),
      loadLogs: fromPromise<LogPage, LogsRequest>(({ input: { projectUuid, filter, cursor }, signal }) =>
        api.logs(projectUuid, filter, cursor, signal),
      ),
      details: logDetailsMachine.provide({
        actors: {
          loadLog: fromPromise<LogDetails, { projectUuid: string; id: string }>(({ input, signal }) =>
            api.log(input.projectUuid, input.id, signal),
          ),
        },
      }),
      download: logDownloadMachine.provide({
        actors: {
          saveLogs: fromPromise<void, LogsToSave>(async ({ input, signal }) => {
            const file = await downloadLogs(download, input, signal);
            saveFile(`logs-${now().slice(0, 10)}.${input.format}`, file);
          }),
        },
      }),
    },
  });
