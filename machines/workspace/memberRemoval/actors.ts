import type { MemberApiKey } from '#contract/api-keys.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** The member to remove from an organization, or from the project `projectUuid` if not null. */
export type MemberToRemove = { orgUuid: string; userUuid: string; projectUuid: string | null };

/** GET /organizations/{orgUuid}/users/{userUuid}/api-keys/ or /projects/{projectUuid}/users/{userUuid}/api-keys/. */
export const loadMemberKeys = promisePlaceholder<readonly MemberApiKey[], MemberToRemove>('loadMemberKeys');
