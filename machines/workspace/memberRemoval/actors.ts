import type { MadeApiKey } from '#contract/api-keys.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** Who is to be removed: from an organization, or (`projectUuid`) from one of its projects. */
export type Removed = { orgUuid: string; userUuid: string; projectUuid: string | null };

/** GET /organizations/{orgUuid}/users/{userUuid}/api-keys/ or /projects/{projectUuid}/users/{userUuid}/api-keys/. */
export const loadMadeKeys = promisePlaceholder<readonly MadeApiKey[], Removed>('loadMadeKeys');
