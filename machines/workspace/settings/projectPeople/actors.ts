import type { Member, ProjectMember } from '#contract/members.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** People with access to the project, and the organization's other members. */
export type ProjectPeople = { people: readonly ProjectMember[]; others: readonly Member[] };
/** GET /projects/{projectUuid}/users/ and GET /organizations/{orgUuid}/users/. */
export const loadProjectPeople = promisePlaceholder<ProjectPeople, { orgUuid: string; projectUuid: string }>(
  'loadProjectPeople',
);

export type PersonRequest = { projectUuid: string; userUuid: string };
/** POST /projects/{projectUuid}/users/. */
export const addPerson = promisePlaceholder<void, PersonRequest>('addPerson');
/** `revokesKeys`: whether to revoke the API keys that the person made in the project. */
export type PersonRemoval = PersonRequest & { revokesKeys: boolean };
/** DELETE /projects/{projectUuid}/users/. */
export const removePerson = promisePlaceholder<void, PersonRemoval>('removePerson');
