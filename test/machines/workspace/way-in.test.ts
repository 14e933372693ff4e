import { expect, it } from 'vitest';
import { wayIn } from '#machines/workspace/wayIn.ts';

it.each([
  ['auditLog', 'Only an owner can open it. An owner can give you such a role.'],
  ['projectSettings', 'Only an owner or an admin can open it. An owner or an admin can give you such a role.'],
  [
    'billingOverview',
    'Only an owner, an admin, or a billing member can open it. An owner or an admin can give you such a role.',
  ],
] as const)('ORG-08: %s says who can open it, and who can give such a role', (screen, said) =>
  expect(wayIn(screen)).toBe(said),
);
