import { BILLING_CALLS } from './billing.ts';
import { INVITATION_CALLS } from './invitations.ts';
import { LIMIT_CALLS } from './limits.ts';
import { MEMBER_CALLS } from './members.ts';
import { MEMBERSHIP_CALLS } from './memberships.ts';
import { ORGANIZATION_CALLS } from './organizations.ts';
import { PROJECT_CALLS } from './projects.ts';
import { rowsOf, type ApiRoute } from './route.ts';
import { SESSION_CALLS } from './sessions.ts';
import { SIGN_UP_CALLS } from './sign-up.ts';
import { USER_CALLS } from './user.ts';
import { WEBHOOK_CALLS } from './webhooks.ts';

/** Sessions, accounts, and what concerns the signed-in user. */
export const ACCOUNT_CALLS = { ...SESSION_CALLS, ...SIGN_UP_CALLS, ...USER_CALLS, ...MEMBERSHIP_CALLS };

/** The main API: what the console calls for accounts, organizations and projects. */
export const MAIN_API: readonly ApiRoute[] = rowsOf({
  ...ACCOUNT_CALLS,
  ...ORGANIZATION_CALLS,
  ...MEMBER_CALLS,
  ...INVITATION_CALLS,
  ...PROJECT_CALLS,
  ...WEBHOOK_CALLS,
  ...BILLING_CALLS,
  ...LIMIT_CALLS,
});
