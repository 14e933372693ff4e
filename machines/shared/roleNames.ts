import type { Role } from '#contract/roles.ts';

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  billing: 'Billing',
};

/** Roles in a sentence. */
export const ROLE_PHRASES: Readonly<Record<Role, string>> = {
  owner: 'an owner',
  admin: 'an admin',
  member: 'a member',
  billing: 'a billing member',
};
