import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReachedLimit } from '#contract/errors.ts';
import { AddFunds } from '../ui/billing/AddFunds.tsx';
import { WORDS } from '../ui/limits/words.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { useMay } from '../ui/rights.ts';
import { usePlayground } from './state.ts';

/** What to do if the balance or a limit prevented a start (EST-05). Renders nothing for other refusals. */
export function RefusalHelp({ limit }: { limit: ReachedLimit | undefined }) {
  const mayRaise = useMay('limits.manage');
  const { orgUuid, projectUuid } = useSelector(usePlayground(), ({ context }) => context);
  if (!limit) return null;
  if (limit.name === 'balance')
    return (
      <Text>
        <AddFunds />
      </Text>
    );
  return (
    <Text>
      <span>{`${WORDS[limit.name].refused} ${mayRaise ? '' : 'An owner or admin can raise the limit. '}`}</span>
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
