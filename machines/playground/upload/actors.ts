import type { EventObject } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { Failure } from '../../shared/failure.ts';

/** A file that the user picked or dropped. A browser's `File` is one; effects narrow it. */
export interface PickedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly type: string;
}

/** What `uploadFile` sends back; `upload.progressed` any number of times, then one of the others, once. */
export type UploadEvent =
  | { type: 'upload.progressed'; sentBytes: number; totalBytes: number }
  | { type: 'upload.succeeded'; file: StoredFile }
  | { type: 'upload.failed'; failure: Failure };

/** POST /v1/files (multipart). Receives nothing; its clean-up aborts the request. */
export const uploadFile = callbackPlaceholder<EventObject, { file: PickedFile; projectUuid: string }>('uploadFile');
