import { MEMBER_CALLS } from '#contract/api/members.ts';
import type { Hono } from 'hono';
import { memberCalls } from '../access/guard.ts';
import { listMemberKeys } from '../api-keys/queries.ts';
import { actOf } from '../access/act.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { changeRole, findMember, listMembers, removeMember } from './queries.ts';

/** Members of an organization (ORG-05). */
export function memberRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  return memberCalls(services)
    .answer(MEMBER_CALLS.listMembers, async ({ organization }) => ({
      users: await listMembers(db, organization.organizationId),
    }))
    .answer(MEMBER_CALLS.readMember, ({ organization, param }) =>
      findMember(db, organization.organizationId, param('user')),
    )
    .answer(MEMBER_CALLS.updateMember, ({ c, organization, param, body }) =>
      changeRole(db, actOf(c, clock), organization.organizationId, param('user'), body.role),
    )
    .answer(MEMBER_CALLS.removeMember, ({ c, organization, param, query }) =>
      removeMember(db, actOf(c, clock), {
        organizationId: organization.organizationId,
        userId: param('user'),
        revokesKeys: query.revoke_api_keys === 'true',
      }),
    )
    .answer(MEMBER_CALLS.listMemberKeys, async ({ organization: { organizationId }, param }) => {
      const member = await findMember(db, organizationId, param('user'));
      return member && { api_keys: await listMemberKeys(db, { userId: member.uuid, organizationId }) };
    });
}
