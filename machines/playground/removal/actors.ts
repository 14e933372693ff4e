import { promisePlaceholder } from '../../shared/placeholder.ts';

export type RemovalKind = 'file' | 'transcription';

/** DELETE /v1/files/{id} or /v1/transcriptions/{id}. */
export const removeItem = promisePlaceholder<void, { kind: RemovalKind; id: string }>('removeItem');
/** POST /v1/transcriptions/{id}/cancel. */
export const cancelItem = promisePlaceholder<void, { id: string }>('cancelItem');
