import type { ApiKey, ApiKeyCreated } from '#contract/api-keys.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /projects/{projectUuid}/api-keys/. */
export const loadKeys = promisePlaceholder<readonly ApiKey[], { projectUuid: string }>('loadKeys');
/** GET /projects/{projectUuid}/api-keys/{keyUuid}/. */
export const readKey = promisePlaceholder<ApiKey, { projectUuid: string; keyUuid: string }>('readKey');
/** DELETE /projects/{projectUuid}/api-keys/{keyUuid}/. */
export const revokeKey = promisePlaceholder<void, { projectUuid: string; keyUuid: string }>('revokeKey');

/** `expiresInDays` is null for a key that does not expire. */
export type KeyRequest = { name: string; expiresInDays: number | null };
/** The new key, and the base URL of the speech API (without `/v1`). */
export type MemberKey = ApiKeyCreated & { baseUrl: string };
/** POST /projects/{projectUuid}/api-keys/. */
export const createKey = promisePlaceholder<MemberKey, Submitted<KeyRequest, { projectUuid: string }>>('createKey');
