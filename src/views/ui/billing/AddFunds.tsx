import { may } from '#contract/roles.ts';
import { TextLink } from '../TextLink.tsx';
import { useMembership } from '../state.ts';

/** What to do about an empty balance: a link to billing, or whom to ask. */
export function AddFunds() {
  const membership = useMembership();
  if (!membership) return null;
  const { organization, role } = membership;
  return may(role, 'billing.manage') ? (
    <TextLink to={{ screen: 'billingOverview', orgUuid: organization.uuid }} color="inherit">
      Add to the balance
    </TextLink>
  ) : (
    <span>Ask an owner, an admin or whoever handles billing to add to it.</span>
  );
}
