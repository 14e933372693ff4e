import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { may } from '#contract/roles.ts';
import { obstacleOf } from '#machines/playground/headroom/select.ts';
import { AddFunds } from '../billing/AddFunds.tsx';
import { WORDS } from '../limits/words.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { useMembership } from '../ui/state.ts';
import { usePlayground } from './state.ts';

/** What helps where money or a limit kept something from beginning (EST-05); nothing for other refusals. */
export function RefusalHelp({ errorType, message }: { errorType?: string | undefined; message: string }) {
  const obstacle = obstacleOf({ errorType, message });
  const role = useMembership()?.role;
  const { orgUuid, projectUuid } = useSelector(usePlayground(), ({ context }) => context);
  if (!obstacle || !role) return null;
  if (obstacle.what === 'balance')
    return (
      <Text>
        <AddFunds />
      </Text>
    );
  const { limit, whose } = obstacle;
  return (
    <Text>
      {WORDS[limit].refused} {may(role, 'limits.manage') ? null : 'An owner or admin can raise the limit. '}
      {whose === 'organization' ? (
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
