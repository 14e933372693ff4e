import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import { callbackPlaceholder, promisePlaceholder } from '../shared/placeholder.ts';

export type WorkspaceData = {
  user: User;
  memberships: Membership[];
  /** The last project of each organization, by organization UUID (SEL-02). */
  remembered: Record<string, string>;
};
/** GET /user/ and /user/organizations/, and what is remembered on this device; rejects in the words of `texts.ts`. */
export const loadWorkspace = promisePlaceholder<WorkspaceData>('loadWorkspace');

/**
 * What this page does itself to an organization or project: it says so where it does. `userUuid` is whom it does it to: that member;
 * null where it is the organization or project as a whole.
 */
export type OwnChange = { uuid: string; how: 'changed' | 'removed'; userUuid: string | null };

export type MembershipsRead = {
  memberships: Membership[];
  /** Done since they were read last, or being done. */
  own: readonly OwnChange[];
};
/** GET /user/organizations/ again. */
export const loadMemberships = promisePlaceholder<MembershipsRead>('loadMemberships');

export type ProjectSelected = { type: 'project.selected'; orgUuid: string; projectUuid: string };
/** Remembers the project of each organization that it is told of. */
export const projectMemory = callbackPlaceholder<ProjectSelected>('projectMemory');
