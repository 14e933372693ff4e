/** What each role may do in an organization: the server enforces it, the console offers by it (ORG-05, ORG-08). */
import * as v from 'valibot';

export const ROLES = ['owner', 'admin', 'member', 'billing'] as const;
export const Role = v.picklist(ROLES);
export type Role = v.InferOutput<typeof Role>;

const everyone = ROLES;
const builders = ['owner', 'admin', 'member'] as const satisfies readonly Role[];
const managers = ['owner', 'admin'] as const satisfies readonly Role[];
const payers = ['owner', 'admin', 'billing'] as const satisfies readonly Role[];
const owners = ['owner'] as const satisfies readonly Role[];

/**
 * The roles that may do each action, in projects that the person sees: owners, admins and billing see all projects of
 * their organization, a member sees those that they were added to.
 */
const ALLOWED = {
  'organization.read': everyone,
  'organization.update': managers,
  'organization.delete': owners,
  'members.read': everyone,
  'members.manage': managers,
  'invitations.manage': managers,
  'audit.read': owners,
  'projects.create': builders,
  'project.read': everyone,
  'project.update': managers,
  'project.delete': managers,
  'projectMembers.read': everyone,
  'projectMembers.manage': managers,
  'apiKeys.manage': builders,
  'webhooks.read': everyone,
  'webhooks.manage': managers,
  'playground.use': builders,
  'usage.read': everyone,
  'limits.read': everyone,
  'limits.manage': managers,
  'billing.read': payers,
  'billing.manage': payers,
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof ALLOWED;

/** Whether a role may do something. */
export const may = (role: Role, action: Action): boolean => (ALLOWED[action] as readonly Role[]).includes(role);

/** Roles that a person with `role` may give to others and take from them. Only owners may with `owner`. */
export const assignableBy = (role: Role): readonly Role[] =>
  role === 'owner' ? ROLES : may(role, 'members.manage') ? ROLES.filter((given) => given !== 'owner') : [];
