import { RemovalDialog } from './RemovalDialog.tsx';
import { UploadDialog } from './UploadDialog.tsx';

/** What may open over the file playground; nothing of it shows at first. */
export const Dialogs = () => (
  <>
    <UploadDialog />
    <RemovalDialog />
  </>
);
