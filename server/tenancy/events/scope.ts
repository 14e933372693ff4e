import type { ChangeEvent } from '#contract/events.ts';
import { may } from '#contract/roles.ts';
import type { Db } from '../../platform/db/database.ts';
import { visibleProjects } from '../projects/queries.ts';
import type { Notice } from './notices.ts';

/** Ids of what a person belongs to and sees; decides which changes the person hears of. */
export interface Scope {
  organizations: ReadonlySet<string>;
  /** The organizations whose billing the person sees. */
  billed: ReadonlySet<string>;
  /** Visible projects; the value says whether the person may use the playground. */
  projects: ReadonlyMap<string, boolean>;
}

/** The scope of somebody who belongs to no organization. */
export const NOTHING: Scope = { organizations: new Set(), billed: new Set(), projects: new Map() };

/** Reads the current scope of a user. */
export async function readScope(db: Db, userId: string): Promise<Scope> {
  const memberships = await db
    .selectFrom('memberships')
    .select(['organization_id', 'role'])
    .where('user_id', '=', userId)
    .execute();
  const projects = await visibleProjects(db, userId).select(['projects.id', 'memberships.role']).execute();
  return {
    organizations: new Set(memberships.map(({ organization_id }) => organization_id)),
    billed: new Set(
      memberships.flatMap(({ organization_id, role }) => (may(role, 'billing.read') ? [organization_id] : [])),
    ),
    projects: new Map(projects.map(({ id, role }) => [id, may(role, 'playground.use')])),
  };
}

/** Whether a change may alter a user's scope. */
export function isRescoping(notice: Notice, userId: string, scope: Scope): boolean {
  if ('user' in notice) return notice.user === userId;
  return (
    (notice.type === 'project.created' || notice.type === 'project.deleted') &&
    scope.organizations.has(notice.organization_uuid)
  );
}

/**
 * The event to send to a user for a change; undefined if the change does not concern them.
 * @param before the user's scope before the change: who saw a project hears of its deletion
 * @param now the scope after it: who was removed hears of the removal, and of nothing later
 */
export function eventFor(
  notice: Notice,
  userId: string,
  { before, now }: { before: Scope; now: Scope },
): ChangeEvent | undefined {
  switch (notice.type) {
    case 'membership.added':
    case 'membership.changed':
    case 'membership.removed':
    case 'organization.deleted': {
      const { type, organization_uuid } = notice;
      if (notice.user === userId) return { type, organization_uuid };
      // Each member of a deleted organization gets a notice of their own.
      return type !== 'organization.deleted' && now.organizations.has(organization_uuid)
        ? { type: 'members.changed', organization_uuid }
        : undefined;
    }
    case 'organization.changed':
    case 'limits.changed':
      return now.organizations.has(notice.organization_uuid) ? notice : undefined;
    case 'billing.changed':
      return now.billed.has(notice.organization_uuid) ? notice : undefined;
    case 'project.created':
    case 'project.changed':
    case 'log.added':
    case 'webhook.changed':
      return now.projects.has(notice.project_uuid) ? notice : undefined;
    case 'project.deleted':
      return now.organizations.has(notice.organization_uuid) && before.projects.has(notice.project_uuid)
        ? notice
        : undefined;
    case 'project_member.added':
    case 'project_member.removed': {
      const { type, organization_uuid, project_uuid, user } = notice;
      const isNews = before.projects.has(project_uuid) !== now.projects.has(project_uuid);
      return user === userId && isNews && now.organizations.has(organization_uuid)
        ? { type, organization_uuid, project_uuid }
        : undefined;
    }
    case 'session.ended':
      return undefined;
    case 'transcription.created':
    case 'transcription.changed':
    case 'transcription.deleted':
    case 'file.created':
    case 'file.deleted':
      return now.projects.get(notice.project_uuid) === true ? notice : undefined;
  }
}
