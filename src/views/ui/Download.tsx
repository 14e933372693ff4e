import { Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Download } from 'lucide-react';
import { formatOf, type TableFormat, type TableToSave } from '#machines/workspace/download/actors.ts';
import type { DownloadActor } from '#machines/workspace/download/machine.ts';
import { FailureAlert } from './FailureAlert.tsx';
import { ReachableButton } from './ReachableButton.tsx';

type Props<Format extends TableFormat> = {
  download: DownloadActor;
  formats: readonly Format[];
  /** The table to save in a format; null while there is none. */
  tableAs: (format: Format) => TableToSave | null;
};

/** A download button for each format, and one that cancels a running download. */
export function DownloadButtons<Format extends TableFormat>({ download, formats, tableAs }: Props<Format>) {
  const canCancel = useSelector(download, (snapshot) => snapshot.can({ type: 'download.cancelled' }));
  return (
    <>
      {formats.map((format) => (
        <FormatButton key={format} download={download} format={format} table={tableAs(format)} />
      ))}
      {canCancel ? (
        <Button variant="ghost" onClick={() => download.send({ type: 'download.cancelled' })}>
          Cancel download
        </Button>
      ) : null}
    </>
  );
}

type ButtonProps = { download: DownloadActor; format: TableFormat; table: TableToSave | null };

function FormatButton({ download, format, table }: ButtonProps) {
  const can = useSelector(
    download,
    (snapshot) => table !== null && snapshot.can({ type: 'download.requested', table }),
  );
  const isSaving = useSelector(download, (snapshot) => {
    const { asked } = snapshot.context;
    return snapshot.hasTag('saving') && asked !== null && formatOf(asked) === format;
  });
  return (
    <ReachableButton
      variant="outline"
      can={can}
      busy={isSaving}
      onClick={() => table && download.send({ type: 'download.requested', table })}
    >
      <Download size={16} aria-hidden /> <span>{`Download ${format.toUpperCase()}`}</span>
    </ReachableButton>
  );
}

type Texts = { saving: string; saved: string; refused: string };

/** Announces the progress to screen readers, and shows a failure. */
export function DownloadOutcome({ download, texts }: { download: DownloadActor; texts: Texts }) {
  const failure = useSelector(download, (snapshot) => (snapshot.hasTag('refused') ? snapshot.context.failure : null));
  const text = useSelector(download, (snapshot) =>
    snapshot.hasTag('saving') ? texts.saving : snapshot.hasTag('saved') ? texts.saved : '',
  );
  return (
    <>
      <Text as="output" srOnly>
        {text}
      </Text>
      <FailureAlert failure={failure} title={texts.refused} />
    </>
  );
}

/** The texts for a spreadsheet. */
export const SPREADSHEET: Texts = {
  saving: 'Downloading the spreadsheet.',
  saved: 'The spreadsheet is downloaded.',
  refused: 'The spreadsheet could not be downloaded.',
};
