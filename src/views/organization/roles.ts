import type { Role } from '#contract/roles.ts';

/** One line about what each role may do. */
export const ROLE_TEXTS: Record<Role, string> = {
  owner: 'Everything, including other owners, the audit log and deleting the organization.',
  admin: 'Members, projects, limits and billing; not owners and not the audit log.',
  member: 'Works in the projects they are added to; can create projects.',
  billing: 'Usage and billing of all projects; does not work in them.',
};
