import { TextLink } from '../TextLink.tsx';
import { useMay } from '../rights.ts';
import { useMembership } from '../state.ts';

/** What to do about an empty balance: a link to billing, or whom to ask. */
export function AddFunds() {
  const orgUuid = useMembership()?.organization.uuid;
  const mayPay = useMay('billing.manage');
  if (orgUuid === undefined) return null;
  return mayPay ? (
    <TextLink to={{ screen: 'billingOverview', orgUuid }} color="inherit">
      Add to the balance
    </TextLink>
  ) : (
    <span>Ask an owner, an admin or whoever handles billing to add to it.</span>
  );
}
