import { useSelector } from '@xstate/react';
import { usePlayground } from '../state.ts';
import { RemovalDialog } from './RemovalDialog.tsx';
import { UploadDialog } from './UploadDialog.tsx';

/** The dialogs of the file playground, closed at first. */
export function Dialogs() {
  const playground = usePlayground();
  const upload = useSelector(playground, (snapshot) => snapshot.children.upload);
  const removal = useSelector(playground, (snapshot) => snapshot.children.removal);
  return (
    <>
      {upload && <UploadDialog upload={upload} />}
      {removal && <RemovalDialog removal={removal} />}
    </>
  );
}
