import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import {
  ORGANIZATIONS_MAX,
  type Membership,
  type OrganizationCreate,
  type OrganizationDetails,
  type OrganizationUpdate,
} from '#contract/organizations.ts';
import { changesOf, recordAudit, type Act } from '../audit/log.ts';
import type { OrganizationAccess, SignedIn } from '../../platform/callers.ts';
import { lastingSession, type AccessClaims } from '../../identity/auth.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { limitReached } from '../../platform/refusal.ts';
import { visibleProjects } from '../projects/queries.ts';

/** A user's organizations with the projects that they see, oldest first. */
export async function membershipsOf(db: Db, userId: string): Promise<Membership[]> {
  const rows = await db
    .selectFrom('organizations')
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .leftJoin(
      visibleProjects(db, userId)
        .select(['projects.id', 'projects.name', 'projects.organization_id', 'projects.position'])
        .as('project'),
      'project.organization_id',
      'organizations.id',
    )
    .select([
      'organizations.id as uuid',
      'organizations.name',
      'organizations.contact_email',
      'organizations.feature_flags',
      'memberships.role',
      'project.id as projectId',
      'project.name as projectName',
    ])
    .where('memberships.user_id', '=', userId)
    .orderBy('organizations.position')
    .orderBy('project.position')
    .execute();
  const memberships = new Map<string, Membership>();
  for (const { role, projectId, projectName, ...organization } of rows) {
    const membership = memberships.get(organization.uuid) ?? { organization, role, projects: [] };
    memberships.set(organization.uuid, membership);
    if (projectId !== null && projectName !== null) membership.projects.push({ uuid: projectId, name: projectName });
  }
  return [...memberships.values()];
}

/**
 * Makes an organization; its maker is its owner. Returns its id.
 * @throws Refusal limit_exceeded if the user has made {@link ORGANIZATIONS_MAX}
 */
export async function createOrganization(db: Db, act: Act, wanted: OrganizationCreate): Promise<string> {
  return db.transaction().execute((transaction) => addOrganization(transaction, act, wanted));
}

/** {@link createOrganization} as part of a transaction. */
export async function addOrganization(
  transaction: Transaction<Schema>,
  act: Act,
  { name, contact_email }: OrganizationCreate,
): Promise<string> {
  const id = randomUUID();
  // The lock makes organizations of a user one at a time, so that the count below holds.
  await transaction.selectFrom('users').select('id').where('id', '=', act.userId).forNoKeyUpdate().executeTakeFirst();
  const { organizations } = await transaction
    .selectFrom('organizations')
    .select((eb) => eb.fn.countAll().as('organizations'))
    .where('created_by', '=', act.userId)
    .executeTakeFirstOrThrow();
  if (Number(organizations) >= ORGANIZATIONS_MAX)
    throw limitReached(
      `You have made ${ORGANIZATIONS_MAX} organizations, the most there can be. Delete one that is no longer needed.`,
    );
  await transaction
    .insertInto('organizations')
    .values({ id, name, contact_email, feature_flags: [], created_by: act.userId, created_at: act.at })
    .execute();
  await transaction
    .insertInto('memberships')
    .values({ organization_id: id, user_id: act.userId, role: 'owner', created_at: act.at })
    .execute();
  await recordAudit(transaction, act, { organizationId: id, action: 'organization.created', subject: name });
  return id;
}

/** Reads a token's user and their role in an organization, in one query; undefined if the session has ended. */
export async function memberOfOrganization(
  db: Db,
  claims: AccessClaims,
  organizationId: string,
): Promise<{ user: SignedIn; organization: OrganizationAccess | undefined } | undefined> {
  const row = await lastingSession(db, claims)
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.user_id', '=', 'users.id').on('memberships.organization_id', '=', organizationId),
    )
    .select(['users.email', 'memberships.role'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { email, role } = row;
  return { user: { ...claims, email }, organization: role === null ? undefined : { organizationId, role } };
}

/** Undefined if the organization is gone. */
export async function readOrganization(db: Db, organizationId: string): Promise<OrganizationDetails | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select(['id as uuid', 'name', 'contact_email', 'feature_flags', 'created_at'])
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row && { ...row, created_at: row.created_at.toISOString() };
}

/** Undefined if the organization is gone. */
export async function updateOrganization(
  db: Db,
  act: Act,
  organizationId: string,
  { name, contact_email }: OrganizationUpdate,
): Promise<OrganizationDetails | undefined> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockOrganization(transaction, organizationId);
    if (!before) return undefined;
    const detail = changesOf({ name: [before.name, name], 'contact e-mail': [before.contact_email, contact_email] });
    if (detail !== '') {
      await transaction
        .updateTable('organizations')
        .set({ name, contact_email })
        .where('id', '=', organizationId)
        .execute();
      await recordAudit(transaction, act, { organizationId, action: 'organization.updated', subject: name, detail });
    }
    return readOrganization(transaction, organizationId);
  });
}

/** Locks an organization, as every change of it or its members does. Undefined if it is gone. */
export async function lockOrganization(
  transaction: Transaction<Schema>,
  organizationId: string,
): Promise<{ name: string; contact_email: string } | undefined> {
  return transaction
    .selectFrom('organizations')
    .select(['name', 'contact_email'])
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}
