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
  /** See the organization: its dashboard, with what its projects used. */
  'organization.read': everyone,
  /** Change the name and the contact e-mail of the organization. */
  'organization.update': managers,
  'organization.delete': owners,
  /** See who belongs to the organization. */
  'members.read': everyone,
  /** Change roles of members, and remove them. */
  'members.manage': managers,
  /** Invite people; see, resend and revoke invitations. */
  'invitations.manage': managers,
  /** Read the audit log. */
  'audit.read': owners,
  'projects.create': builders,
  /** See a project at all: its name and its home. */
  'project.read': everyone,
  /** Change the name and the description of a project. */
  'project.update': managers,
  'project.delete': managers,
  /** See who was added to a project. */
  'projectMembers.read': everyone,
  /** Add people to a project, and remove them with their API keys. */
  'projectMembers.manage': managers,
  /** See, create and revoke API keys of a project. */
  'apiKeys.manage': builders,
  /** See what webhooks a project sent. */
  'webhooks.read': everyone,
  /** Send a webhook again; show and roll the signing secret. */
  'webhooks.manage': managers,
  /** Work in a project: its files, transcriptions and live sessions, and the like. */
  'playground.use': builders,
  /** See what a project used: cost, activity, logs and metrics. */
  'usage.read': everyone,
  /** See the limits of the organization and its projects. */
  'limits.read': everyone,
  /** Change limits, and ask for higher ones. */
  'limits.manage': managers,
  /** See balance, reports, costs, payment method and transactions. */
  'billing.read': payers,
  /** Pay; change payment method, autopay and details of receipts. */
  'billing.manage': payers,
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof ALLOWED;

/** Whether a role may do something. */
export const may = (role: Role, action: Action): boolean => (ALLOWED[action] as readonly Role[]).includes(role);

/** Roles that a person with `role` may give to others and take from them. Only owners may with `owner`. */
export const assignableBy = (role: Role): readonly Role[] =>
  role === 'owner' ? ROLES : may(role, 'members.manage') ? ROLES.filter((given) => given !== 'owner') : [];
