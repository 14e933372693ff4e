import { RemovalDialog } from './RemovalDialog.tsx';
import { UploadDialog } from './UploadDialog.tsx';

/** The dialogs of the file playground, closed at first. */
export const Dialogs = () => (
  <>
    <UploadDialog />
    <RemovalDialog />
  </>
);
