import type { StoredFile } from '#contract/files.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** `file`: what is known of it already. */
export type FileToRead = { fileId: string; file: StoredFile | null };
export type OpenedFile = {
  file: StoredFile;
  /** URL that a player can load without credentials; valid for an hour. */
  url: string;
};
/** GET /v1/files/{id}, unless the file is known, and /v1/files/{id}/url. */
export const readFile = promisePlaceholder<OpenedFile, FileToRead>('readFile');

/** Whether a file that the browser cannot play looks like a recording by its first bytes; rejects if it cannot read. */
export const probeRecording = promisePlaceholder<boolean, { url: string }>('probeRecording');
