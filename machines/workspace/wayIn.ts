import { assignableBy, ROLES, type Role } from '#contract/roles.ts';
import { ROLE_PHRASES } from '../shared/roleNames.ts';
import type { ScreenName } from '../shared/screens.ts';
import { canOpen } from './access.ts';

const LIST = new Intl.ListFormat('en', { type: 'disjunction' });
const oneOf = (roles: readonly Role[]): string => LIST.format(roles.map((role) => ROLE_PHRASES[role]));

/** Says which roles open a screen, and who can give one of them (ORG-08). */
export function wayIn(screen: ScreenName): string {
  const openers = ROLES.filter((role) => canOpen(role, screen));
  const givers = ROLES.filter((role) => assignableBy(role).some((given) => openers.includes(given)));
  const giver = oneOf(givers);
  return `Only ${oneOf(openers)} can open it. ${giver[0]?.toUpperCase()}${giver.slice(1)} can give you such a role.`;
}
