import { Box, Button, chakra, Checkbox, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { MemberRemovalActor } from '#machines/memberRemoval/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';

/** Which API keys a member made, and whether they are revoked with the removal (SEC-13). */
export function MadeKeys({ actor }: { actor: MemberRemovalActor }) {
  const { keys, failure, revokesKeys } = useSelector(actor, ({ context }) => context);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const isTold = useSelector(actor, (snapshot) => snapshot.hasTag('told'));
  return (
    <Box mt="4" fontSize="sm">
      <Text role="status">
        {isLoading ? 'Looking for their API keys…' : null}
        {isTold ? summaryOf(keys.length) : null}
      </Text>
      <FailureAlert failure={failure} title="Their API keys could not be loaded. If you remove them now, their keys stay.">
        <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Retry
        </Button>
      </FailureAlert>
      {keys.length > 0 ? (
        <>
          <Box maxH="180px" overflowY="auto" tabIndex={0} role="region" aria-label="Their API keys" my="3" borderWidth="1px" borderRadius="l2" focusRing="outside">
            <chakra.ul listStyleType="none">
              {keys.map(({ uuid, name, masked_key, project }) => (
                <chakra.li key={uuid} px="3" py="2" borderBottomWidth="1px" _last={{ borderBottomWidth: 0 }}>
                  <Text as="span" color="fg" fontWeight="medium">
                    <bdi>{name}</bdi>
                  </Text>{' '}
                  <chakra.code fontSize="xs">{masked_key}</chakra.code>
                  <Text fontSize="xs">
                    Project <bdi>{project.name}</bdi>
                  </Text>
                </chakra.li>
              ))}
            </chakra.ul>
          </Box>
          <Checkbox.Root checked={revokesKeys} onCheckedChange={({ checked }) => actor.send({ type: 'revocation.chosen', revokesKeys: checked === true })}>
            <Checkbox.HiddenInput />
            <Checkbox.Control />
            <Checkbox.Label color="fg">{keys.length === 1 ? 'Revoke this key' : 'Revoke these keys'}</Checkbox.Label>
          </Checkbox.Root>
        </>
      ) : null}
    </Box>
  );
}

function summaryOf(count: number): string {
  if (count === 0) return 'They leave no API keys behind.';
  return count === 1 ? 'An API key that they made stays unless you revoke it:' : `${count} API keys that they made stay unless you revoke them:`;
}
