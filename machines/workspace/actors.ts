import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import { callbackPlaceholder, promisePlaceholder } from '../shared/placeholder.ts';

export type WorkspaceData = {
  user: User;
  memberships: Membership[];
  /** The last project of each organization, by organization UUID (SEL-02). */
  remembered: Record<string, string>;
};
/** GET /user/ and /user/organizations/, and this device's remembered projects; rejects with texts of `texts.ts`. */
export const loadWorkspace = promisePlaceholder<WorkspaceData>('loadWorkspace');

/**
 * A change that this page made itself to an organization or project, and has already reported. `userUuid` is the
 * changed member; null if the change is to the organization or project itself.
 */
export type OwnChange = { uuid: string; how: 'changed' | 'removed'; userUuid: string | null };

export type MembershipsRead = {
  memberships: Membership[];
  /** Changes made or under way since the last read. */
  own: readonly OwnChange[];
};
/** GET /user/organizations/ again. */
export const loadMemberships = promisePlaceholder<MembershipsRead>('loadMemberships');

export type ProjectSelected = { type: 'project.selected'; orgUuid: string; projectUuid: string };
/** Remembers the last project of each organization. */
export const projectMemory = callbackPlaceholder<ProjectSelected>('projectMemory');
