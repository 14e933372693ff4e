import type { ApiKey, ApiKeyCreated } from '#contract/api-keys.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /projects/{projectUuid}/api-keys/. */
export const loadKeys = promisePlaceholder<readonly ApiKey[], { projectUuid: string }>('loadKeys');
/** DELETE /projects/{projectUuid}/api-keys/{keyUuid}/. */
export const revokeKey = promisePlaceholder<void, { projectUuid: string; keyUuid: string }>('revokeKey');

/** What the form sends; `expiresInDays` is null for a key that does not expire. */
export type KeyRequest = { name: string; expiresInDays: number | null };
/** POST /projects/{projectUuid}/api-keys/. */
export const createKey = promisePlaceholder<ApiKeyCreated, Submitted<KeyRequest, { projectUuid: string }>>('createKey');
