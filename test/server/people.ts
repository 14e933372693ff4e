/** People and what they belong to, straight in the database. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { expect } from 'vitest';
import { AuditPage, type AuditEntry } from '#contract/audit.ts';
import { ApiError } from '#contract/errors.ts';
import { Invitation, type InvitationCreate } from '#contract/members.ts';
import { OrganizationDeletion } from '#contract/organizations.ts';
import type { Role } from '#contract/roles.ts';
import type { TestServer, TestUser } from './harness.ts';
import { ended as endedRow, writeUsage } from './usage.ts';

export const organizationOf = ({ organizationId }: TestUser): string => `/api/v2/organizations/${organizationId}/`;
/** What an owner of an organization reads that would be lost with it, micro-USD; what it owes, below zero; 0 where it is gone. */
export async function leftOf(server: TestServer, user: TestUser): Promise<number> {
  const answer = await server.call(user, 'GET', `${organizationOf(user)}deletion/`);
  return answer.status === 404 ? 0 : v.parse(OrganizationDeletion, await answer.json()).balance_micros;
}
/** Where an owner of an organization deletes it, with what is left of its balance. */
export const deletionOf = async (server: TestServer, user: TestUser): Promise<string> =>
  `${organizationOf(user)}?lost_micros=${await leftOf(server, user)}`;
export const projectOf = ({ projectId }: TestUser): string => `/api/v2/projects/${projectId}/`;

/** Makes a user one of another's organization, and has them added to its project if told so. */
export async function join(
  server: TestServer,
  { organizationId, projectId }: TestUser,
  user: TestUser,
  role: Role,
  { added = true } = {},
): Promise<void> {
  const { db, clock } = server.services;
  const membership = db
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: user.userId, role, created_at: clock() });
  if (!added) await membership.execute();
  else
    await db
      .with('membership', () => membership)
      .insertInto('project_members')
      .values({ project_id: projectId, user_id: user.userId, created_at: clock() })
      .execute();
}

/** Somebody new in another's organization. */
export async function colleague(
  server: TestServer,
  of: TestUser,
  role: Role,
  options: { added?: boolean; email?: string } = {},
): Promise<TestUser> {
  const user = await server.createUser(options.email === undefined ? {} : { email: options.email });
  await join(server, of, user, role, options);
  return user;
}

/** A second project of somebody's organization. */
export async function addProject(server: TestServer, { organizationId }: TestUser, name: string): Promise<string> {
  const id = randomUUID();
  await server.services.db
    .insertInto('projects')
    .values({ id, organization_id: organizationId, name, description: '', created_at: server.services.clock() })
    .execute();
  return id;
}

/** Status and refusal of an answer, in one text; of a good one the status alone. */
export const outcomeOf = async (answer: Response): Promise<string> =>
  answer.ok ? String(answer.status) : `${answer.status} ${v.parse(ApiError, await answer.json()).error_type}`;

export const invite = (
  server: TestServer,
  by: TestUser,
  wanted: v.InferInput<typeof InvitationCreate>,
): Promise<Response> => server.call(by, 'POST', `${organizationOf(by)}invite/`, wanted);

export async function invited(
  server: TestServer,
  by: TestUser,
  wanted: v.InferInput<typeof InvitationCreate>,
): Promise<Invitation & { token: string }> {
  const answer = await invite(server, by, wanted);
  expect(answer.status).toBe(201);
  const invitation = v.parse(Invitation, await answer.json());
  const token = /\/invite\/([\w-]+)\/$/.exec(invitation.link)?.[1];
  if (token === undefined) throw new Error(`No token in ${invitation.link}`);
  return { ...invitation, token };
}

/** The audit log as its owner reads it, newest first. */
export async function auditOf(server: TestServer, owner: TestUser, query = ''): Promise<AuditEntry[]> {
  const answer = await server.call(owner, 'GET', `${organizationOf(owner)}audit/${query}`);
  expect(answer.status).toBe(200);
  return v.parse(AuditPage, await answer.json()).entries;
}

/** What {@link recordUse} takes. */
export type UsageRow = [
  projectId: string,
  ended: string,
  audioMs: number,
  status?: 'completed' | 'failed' | 'cancelled',
  cost_micros?: number | null,
];

/** One request in the usage log, straight in the database. */
export async function recordUse(
  server: TestServer,
  projectId: string,
  ended: string,
  audioMs: number,
  status: 'completed' | 'failed' | 'cancelled' = 'completed',
  cost_micros: number | null = null,
): Promise<void> {
  await writeUsage(server.services.db, [
    endedRow({ project_id: projectId, ended_at: new Date(ended), audio_ms: audioMs, status, cost_micros }),
  ]);
}
