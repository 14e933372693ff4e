import type { EventObject } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { Failure } from '../../shared/failure.ts';

/** A file that the user picked or dropped: the part of a browser's `File` that charts need. */
export interface PickedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly type: string;
}

/** From `uploadFile`: any number of `upload.progressed`, then one of the others. */
export type UploadEvent =
  | { type: 'upload.progressed'; sentBytes: number; totalBytes: number }
  | { type: 'upload.succeeded'; file: StoredFile }
  | { type: 'upload.failed'; failure: Failure };

/** POST /v1/files (multipart). Aborts the request when it stops. */
export const uploadFile = callbackPlaceholder<EventObject, { file: PickedFile; projectUuid: string }>('uploadFile');
