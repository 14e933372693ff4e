import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReachedLimit } from '#contract/errors.ts';
import { may } from '#contract/roles.ts';
import { AddFunds } from '../ui/billing/AddFunds.tsx';
import { WORDS } from '../ui/limits/words.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { useMembership } from '../ui/state.ts';
import { usePlayground } from './state.ts';

/** What to do if the balance or a limit prevented a start (EST-05). Renders nothing for other refusals. */
export function RefusalHelp({ limit }: { limit: ReachedLimit | undefined }) {
  const role = useMembership()?.role;
  const { orgUuid, projectUuid } = useSelector(usePlayground(), ({ context }) => context);
  if (!limit || !role) return null;
  if (limit.name === 'balance')
    return (
      <Text>
        <AddFunds />
      </Text>
    );
  return (
    <Text>
      <span>{`${WORDS[limit.name].refused} ${may(role, 'limits.manage') ? '' : 'An owner or admin can raise the limit. '}`}</span>
      {limit.of === 'organization' ? (
        <TextLink to={{ screen: 'organizationLimits', orgUuid }} color="inherit">
          Limits of the organization
        </TextLink>
      ) : (
        <TextLink to={{ screen: 'projectLimits', orgUuid, projectUuid }} color="inherit">
          Limits of the project
        </TextLink>
      )}
    </Text>
  );
}
