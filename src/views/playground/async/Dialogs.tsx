import { useSelector } from '@xstate/react';
import { usePlayground } from '../state.ts';
import { RemovalDialog } from './RemovalDialog.tsx';
import { UploadDialog } from './UploadDialog.tsx';

/** What may open over the file playground; nothing of it shows at first. */
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
