import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ExternalLink } from '../../ui/ExternalLink.tsx';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { WarningBox } from '../../ui/WarningBox.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useLive } from '../state.ts';

/** The error that ended the last session or prevented a start: headline, cause, and request id (ERR-05). */
export function LiveError({ docs }: { docs: string }) {
  const live = useLive();
  const error = useSelector(live, ({ context }) => context.error);
  const removalReason = useSelector(live, ({ context }) => context.removalReason);
  if (removalReason !== null) return <Removed reason={removalReason} />;
  if (!error) return null;
  const { code, message, detail, requestId, limit } = error;
  return (
    <FailureAlert failure={{ message, ...(requestId ? { requestId } : {}) }}>
      {detail && detail !== message ? (
        <Text whiteSpace="pre-line" overflowWrap="anywhere">
          {detail}
        </Text>
      ) : null}
      <RefusalHelp limit={limit} />
      {code === 'invalid_context_structure' ? (
        <ExternalLink href={docs} fontWeight="medium" textDecoration="underline" textUnderlineOffset="3px">
          How to write a context
        </ExternalLink>
      ) : null}
    </FailureAlert>
  );
}

/** In place of any error: why nothing more can be run or kept here (UXP-113). */
function Removed({ reason }: { reason: string }) {
  return (
    <WarningBox role="alert">
      <Text fontWeight="semibold" overflowWrap="anywhere">
        {reason}
      </Text>
      <Text>Nothing more can be run or kept here. You can still copy what was heard.</Text>
    </WarningBox>
  );
}
