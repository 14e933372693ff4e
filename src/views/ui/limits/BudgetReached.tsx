import { Notice } from '../Notice.tsx';
import { TextLink } from '../TextLink.tsx';

/** Says that the budget of the month is used up, and where to raise it. */
export const BudgetReached = ({ orgUuid }: { orgUuid: string }) => (
  <Notice
    tone="error"
    title="The budget of this month is used up."
    actions={<TextLink to={{ screen: 'organizationLimits', orgUuid }}>Open limits</TextLink>}
  >
    New requests are refused until the month ends (UTC), or the budget is raised.
  </Notice>
);
