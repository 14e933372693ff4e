import type { ToastRequested } from '../../shared/appServices.ts';
import type { Failure } from '../../shared/failure.ts';
import type { RemovalItem } from './machine.ts';
import type { RemovalKind } from './actors.ts';

/** Question of the dialog. */
export const REMOVAL_QUESTION = 'Are you sure you want to delete this item?';

/** Label of the dialog's button. */
export const confirmLabel = (item: RemovalItem | null): string =>
  item?.isRunning === true ? 'Cancel and delete' : 'Delete';

/** What the removal does, under the question. */
export function removalEffect({ kind, isRunning }: RemovalItem): string {
  if (kind === 'file') return 'The file is deleted; transcriptions made from it stay.';
  if (isRunning === true) return "It isn't finished yet. It will be cancelled and deleted; the file stays.";
  return 'The transcription and its text are deleted; the file stays.';
}

/** The toasts. */
export const REMOVAL_TOASTS: Record<RemovalKind, { success: string; error: string }> = {
  transcription: { success: 'Success! Transcription was deleted.', error: 'Error! Failed to delete transcription.' },
  file: { success: 'Success! File was deleted.', error: 'Error! Failed to delete file.' },
};

/** The toast that follows a removal; an error says why. */
export function removalToast(item: RemovalItem, kind: 'success' | 'error', failure?: Failure): ToastRequested {
  return {
    type: 'toast.requested',
    kind,
    text: [REMOVAL_TOASTS[item.kind][kind], failure?.message].filter(Boolean).join(' '),
  };
}
