import { Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Download } from 'lucide-react';
import type { SheetToSave } from '#machines/workspace/billing/download/actors.ts';
import type { SheetDownloadActor } from '#machines/workspace/billing/download/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';

type Props = {
  download: SheetDownloadActor;
  /** What would be saved now; null while nothing is there to save. */
  sheet: SheetToSave | null;
};

/** Takes home what the screen shows, as a spreadsheet. */
export function SheetDownloadButton({ download, sheet }: Props) {
  const isSaving = useSelector(download, (snapshot) => snapshot.hasTag('saving'));
  return (
    <>
      <ReachableButton
        variant="outline"
        can={sheet !== null && !isSaving}
        busy={isSaving}
        onClick={() => sheet && download.send({ type: 'download.requested', sheet })}
      >
        <Download size={16} aria-hidden /> Download XLSX
      </ReachableButton>
      {isSaving ? (
        <Button variant="ghost" onClick={() => download.send({ type: 'download.cancelled' })}>
          Cancel download
        </Button>
      ) : null}
    </>
  );
}

/** Says aloud how it goes; what went wrong shows. */
export function SheetDownloadOutcome({ download }: Pick<Props, 'download'>) {
  const failure = useSelector(download, (snapshot) => (snapshot.hasTag('refused') ? snapshot.context.failure : null));
  const text = useSelector(download, (snapshot) =>
    snapshot.hasTag('saving')
      ? 'Downloading the spreadsheet.'
      : snapshot.hasTag('saved')
        ? 'The spreadsheet is downloaded.'
        : '',
  );
  return (
    <>
      <Text as="output" srOnly>
        {text}
      </Text>
      <FailureAlert failure={failure} title="The spreadsheet could not be downloaded." />
    </>
  );
}
