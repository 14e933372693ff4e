import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import { callbackPlaceholder, promisePlaceholder } from '../placeholder.ts';

export type WorkspaceData = {
  user: User;
  memberships: Membership[];
  /** The last project of each organization, by organization UUID (SEL-02). */
  remembered: Record<string, string>;
};
/** GET /user/ and /user/organizations/, and what is remembered on this device. */
export const loadWorkspace = promisePlaceholder<WorkspaceData>('loadWorkspace');

/** GET /user/organizations/ again, after something was created. */
export const loadMemberships = promisePlaceholder<Membership[]>('loadMemberships');

export type ProjectSelected = { type: 'project.selected'; orgUuid: string; projectUuid: string };
/** Remembers the project of each organization that it is told of. */
export const projectMemory = callbackPlaceholder<ProjectSelected>('projectMemory');
