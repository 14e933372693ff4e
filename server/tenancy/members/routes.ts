import type { MadeApiKeys } from '#contract/api-keys.ts';
import { MemberRemoval, MemberUpdate, type Member, type Members } from '#contract/members.ts';
import { Hono, type Context } from 'hono';
import { memberNotFound } from '../not-found.ts';
import { inOrganization, requireMember } from '../access/guard.ts';
import { listMadeKeys } from '../api-keys/queries.ts';
import { actOf } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson, readQuery, uuidParam } from '../../http/validate.ts';
import { changeRole, findMember, listMembers, removeMember } from './queries.ts';

const USERS = '/api/v2/organizations/:organization/users';
const USER = `${USERS}/:user`;

/** The people of an organization (spec §7). */
export function memberRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(USERS, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'members.read');
      return c.json({ users: await listMembers(db, organizationId) } satisfies Members);
    })
    .get(USER, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'members.read');
      const member = await findMember(db, organizationId, uuidParam(c, 'user', memberNotFound()));
      if (!member) throw memberNotFound();
      return c.json(member satisfies Member);
    })
    .put(USER, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'members.manage');
      const userId = uuidParam(c, 'user', memberNotFound());
      const { role } = await readJson(c, MemberUpdate);
      return c.json((await changeRole(db, actOf(c, clock), organizationId, userId, role)) satisfies Member);
    })
    .delete(USER, signedIn, async (c) => {
      // Whoever belongs to an organization may leave it.
      const { organizationId } = inOrganization(c, isOwn(c) ? 'organization.read' : 'members.manage');
      const userId = uuidParam(c, 'user', memberNotFound());
      const { revoke_api_keys } = readQuery(c, MemberRemoval);
      await removeMember(db, actOf(c, clock), { organizationId, userId, revokesKeys: revoke_api_keys === 'true' });
      return c.body(null, 204);
    })
    .get(`${USER}/api-keys`, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, isOwn(c) ? 'organization.read' : 'members.manage');
      const member = await findMember(db, organizationId, uuidParam(c, 'user', memberNotFound()));
      if (!member) throw memberNotFound();
      return c.json({
        api_keys: await listMadeKeys(db, { userId: member.uuid, organizationId }),
      } satisfies MadeApiKeys);
    });
}

/** Whether the path names the caller. */
const isOwn = (c: Context<AppEnv>): boolean => c.req.param('user')?.toLowerCase() === c.var.user.userId;
