import { useSelector } from '@xstate/react';
import { LOG_FORMATS } from '#contract/logs.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { DownloadButtons, DownloadOutcome } from '../ui/Download.tsx';

/** Downloads the requests that match the filters. */
export function LogDownloadButtons({ actor }: { actor: LogsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  const projectUuid = useSelector(actor, ({ context }) => context.projectUuid);
  const filter = useSelector(actor, ({ context }) => context.filter);
  return download ? (
    <DownloadButtons
      download={download}
      formats={LOG_FORMATS}
      tableAs={(format) => filter && { of: 'logs', projectUuid, filter, format }}
    />
  ) : null;
}

const TEXTS = {
  saving: 'Downloading the logs.',
  saved: 'The logs are downloaded.',
  refused: 'The logs could not be downloaded.',
};

export function LogDownloadOutcome({ actor }: { actor: LogsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  return download ? <DownloadOutcome download={download} texts={TEXTS} /> : null;
}
