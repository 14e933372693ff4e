import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import { ORGANIZATION_CALLS } from '#contract/api/organizations.ts';
import type { Hono } from 'hono';
import { memberCalls } from '../access/guard.ts';
import { actOf } from '../access/act.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { deleteOrganization, type Books } from './delete.ts';
import { createOrganization, membershipsOf, readOrganization, updateOrganization } from './queries.ts';
import { welcome } from './welcome.ts';

/** Organizations, and a user's memberships (ORG-01). */
export function organizationRoutes(services: Services, books: Books): Hono<AppEnv> {
  const { db, clock } = services;
  return memberCalls(services)
    .answer(ACCOUNT_CALLS.listMemberships, async ({ c }) => ({
      organizations: await membershipsOf(db, c.var.user.userId),
    }))
    .answer(ACCOUNT_CALLS.welcomeUser, ({ c }) => welcome(db, actOf(c, clock)))
    .answer(ORGANIZATION_CALLS.createOrganization, async ({ c, body }) => ({
      organization: { uuid: await createOrganization(db, actOf(c, clock), body) },
    }))
    .answer(ORGANIZATION_CALLS.readOrganization, ({ organization }) =>
      readOrganization(db, organization.organizationId),
    )
    .answer(ORGANIZATION_CALLS.updateOrganization, ({ c, organization, body }) =>
      updateOrganization(db, actOf(c, clock), organization.organizationId, body),
    )
    .answer(ORGANIZATION_CALLS.deleteOrganization, async ({ c, organization: { organizationId }, query }) => {
      const { lost_micros: forfeitedMicros = 0 } = query;
      await books.endPages(organizationId, forfeitedMicros);
      await deleteOrganization(db, actOf(c, clock), { organizationId, forfeitedMicros }, books);
    })
    .answer(ORGANIZATION_CALLS.readOrganizationDeletion, async ({ organization }) => {
      const balance_micros = await books.balance(organization.organizationId);
      return balance_micros === undefined ? undefined : { balance_micros };
    });
}
