import { Button, Flex, Spinner } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { SingleSignOnActor } from '#machines/visitor/singleSignOn/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { useSettings } from '../ui/state.ts';

/** Leads to the identity provider. Renders nothing if none is configured (ACC-07). */
export function SingleSignOnButton({ actor }: { actor: SingleSignOnActor | undefined }) {
  const { singleSignOn } = useSettings();
  return singleSignOn && actor ? <LeaveButton actor={actor} /> : null;
}

function LeaveButton({ actor }: { actor: SingleSignOnActor }) {
  const isLeaving = useSelector(actor, (snapshot) => snapshot.hasTag('leaving'));
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  return (
    <Flex direction="column" gap="4" mt="6" pt="6" borderTopWidth="1px">
      <FailureAlert failure={failure} />
      <Button
        variant="outline"
        w="full"
        aria-disabled={isLeaving}
        aria-busy={isLeaving}
        opacity={isLeaving ? 0.8 : 1}
        onClick={() => actor.send({ type: 'signOn.requested' })}
      >
        {isLeaving ? <Spinner size="sm" aria-hidden /> : null}
        <span>{isLeaving ? 'Opening your identity provider…' : 'Continue with single sign-on'}</span>
      </Button>
    </Flex>
  );
}
