import { Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Download } from 'lucide-react';
import { LOG_FORMATS } from '#contract/logs.ts';
import type { LogDownloadActor } from '#machines/workspace/logs/download/machine.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';

/** Takes home what the filters match, as a file. */
export function DownloadButtons({ actor }: { actor: LogsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  return download ? <Buttons actor={actor} download={download} /> : null;
}

function Buttons({ actor, download }: { actor: LogsActor; download: LogDownloadActor }) {
  const projectUuid = useSelector(actor, ({ context }) => context.projectUuid);
  const filter = useSelector(actor, ({ context }) => context.filter);
  const isSaving = useSelector(download, (snapshot) => snapshot.hasTag('saving'));
  const format = useSelector(download, ({ context }) => context.asked?.format);
  return (
    <>
      {LOG_FORMATS.map((candidate) => (
        <ReachableButton
          key={candidate}
          variant="outline"
          can={filter !== null && !isSaving}
          busy={isSaving && format === candidate}
          onClick={() =>
            filter && download.send({ type: 'download.requested', projectUuid, filter, format: candidate })
          }
        >
          <Download size={16} aria-hidden /> Download {candidate.toUpperCase()}
        </ReachableButton>
      ))}
      {isSaving ? (
        <Button variant="ghost" onClick={() => download.send({ type: 'download.cancelled' })}>
          Cancel download
        </Button>
      ) : null}
    </>
  );
}

/** Says aloud how it goes; what went wrong shows. */
export function DownloadOutcome({ actor }: { actor: LogsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  return download ? <Outcome download={download} /> : null;
}

function Outcome({ download }: { download: LogDownloadActor }) {
  const failure = useSelector(download, (snapshot) => (snapshot.hasTag('refused') ? snapshot.context.failure : null));
  const text = useSelector(download, (snapshot) =>
    snapshot.hasTag('saving') ? 'Downloading the logs.' : snapshot.hasTag('saved') ? 'The logs are downloaded.' : '',
  );
  return (
    <>
      <Text as="output" srOnly>
        {text}
      </Text>
      <FailureAlert failure={failure} title="The logs could not be downloaded." />
    </>
  );
}
