import {
  OrganizationCreate,
  OrganizationDeletionQuery,
  OrganizationUpdate,
  type Memberships,
  type OrganizationCreated,
  type OrganizationDeletion,
  type OrganizationDetails,
  type Welcome,
} from '#contract/organizations.ts';
import { Hono } from 'hono';
import { inOrganization, requireMember } from '../access/guard.ts';
import { organizationNotFound } from '../not-found.ts';
import { actOf } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson, readQuery } from '../../http/validate.ts';
import {
  createOrganization,
  deleteOrganization,
  type Books,
  membershipsOf,
  readOrganization,
  updateOrganization,
} from './queries.ts';
import { welcome } from './welcome.ts';

const ORGANIZATIONS = '/api/v2/organizations';
const ORGANIZATION = `${ORGANIZATIONS}/:organization`;

/** Organizations (ORG-01), and those that a user belongs to. */
export function organizationRoutes(services: Services, books: Books): Hono<AppEnv> {
  const { db, clock } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get('/api/v2/user/organizations', signedIn, async (c) =>
      c.json({ organizations: await membershipsOf(db, c.var.user.userId) } satisfies Memberships),
    )
    .post('/api/v2/user/welcome', signedIn, async (c) => c.json((await welcome(db, actOf(c, clock))) satisfies Welcome))
    .post(ORGANIZATIONS, signedIn, async (c) => {
      const wanted = await readJson(c, OrganizationCreate);
      const uuid = await createOrganization(db, actOf(c, clock), wanted);
      return c.json({ organization: { uuid } } satisfies OrganizationCreated, 201);
    })
    .get(ORGANIZATION, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'organization.read');
      return c.json(there(await readOrganization(db, organizationId)));
    })
    .put(ORGANIZATION, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'organization.update');
      return c.json(
        there(await updateOrganization(db, actOf(c, clock), organizationId, await readJson(c, OrganizationUpdate))),
      );
    })
    .delete(ORGANIZATION, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'organization.delete');
      const { lost_micros: forfeitedMicros = 0 } = readQuery(c, OrganizationDeletionQuery);
      await books.leavePages(organizationId, forfeitedMicros);
      if (!(await deleteOrganization(db, actOf(c, clock), { organizationId, forfeitedMicros }, books)))
        throw organizationNotFound();
      return c.body(null, 204);
    })
    .get(`${ORGANIZATION}/deletion`, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'organization.delete');
      const balance_micros = await books.balance(organizationId);
      if (balance_micros === undefined) throw organizationNotFound();
      return c.json({ balance_micros } satisfies OrganizationDeletion);
    });
}

/** @throws ApiProblem 404 for one that was deleted meanwhile */
function there(organization: OrganizationDetails | undefined): OrganizationDetails {
  if (!organization) throw organizationNotFound();
  return organization;
}
