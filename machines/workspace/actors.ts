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

export type MembershipsRead = Pick<WorkspaceData, 'memberships'>;
/** GET /user/organizations/ again. */
export const loadMemberships = promisePlaceholder<MembershipsRead>('loadMemberships');

export type ProjectSelected = { type: 'project.selected'; orgUuid: string; projectUuid: string };
/** Remembers the last project of each organization. */
export const projectMemory = callbackPlaceholder<ProjectSelected>('projectMemory');
