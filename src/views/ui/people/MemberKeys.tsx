import { Box, chakra, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { SnapshotFrom } from 'xstate';
import type { MemberRemovalActor } from '#machines/workspace/memberRemoval/machine.ts';
import { CheckBox } from '../CheckBox.tsx';
import { FailureAlert } from '../FailureAlert.tsx';
import { InlineCode } from '../InlineCode.tsx';
import { RetryButton } from '../RetryButton.tsx';

/** The API keys that a member made, and whether to revoke them with the removal (SEC-13). */
export function MemberKeys({ actor }: { actor: MemberRemovalActor }) {
  const { keys, failure, revokesKeys, isLoading, isLoaded } = useSelector(actor, shownOf, staysShown);
  return (
    <Box mt="4" fontSize="sm">
      <Text role="status">{isLoading ? 'Looking for their API keys…' : isLoaded && summaryOf(keys.length)}</Text>
      <FailureAlert
        failure={failure}
        title="Their API keys could not be loaded. If you remove this member now, their keys keep working."
      >
        <RetryButton actor={actor} />
      </FailureAlert>
      {keys.length > 0 ? (
        <>
          <Box
            maxH="180px"
            overflowY="auto"
            tabIndex={0}
            role="region"
            aria-label="Their API keys"
            my="3"
            borderWidth="1px"
            borderRadius="l2"
            focusRing="outside"
          >
            <chakra.ul listStyleType="none">
              {keys.map(({ uuid, name, masked_key, project }) => (
                <chakra.li key={uuid} px="3" py="2" borderBottomWidth="1px" _last={{ borderBottomWidth: 0 }}>
                  <Text as="span" color="fg" fontWeight="medium">
                    <bdi>{name}</bdi>
                  </Text>{' '}
                  <InlineCode fontSize="xs">{masked_key}</InlineCode>
                  <Text fontSize="xs">
                    Project <bdi>{project.name}</bdi>
                  </Text>
                </chakra.li>
              ))}
            </chakra.ul>
          </Box>
          <CheckBox
            checked={revokesKeys}
            onToggle={(isChecked) => actor.send({ type: 'revocation.chosen', revokesKeys: isChecked })}
          >
            {keys.length === 1 ? 'Revoke this key' : 'Revoke these keys'}
          </CheckBox>
        </>
      ) : null}
    </Box>
  );
}

/** The part of the snapshot that is shown. */
export const shownOf = (snapshot: SnapshotFrom<MemberRemovalActor>) => {
  const { keys, failure, revokesKeys } = snapshot.context;
  return {
    keys,
    failure,
    revokesKeys,
    isLoading: snapshot.hasTag('loading'),
    isLoaded: snapshot.hasTag('loaded'),
    isOver: snapshot.status !== 'active',
  };
};
type Shown = ReturnType<typeof shownOf>;

/** Whether to keep showing `before`: nothing changed, or the actor is done and the dialog is closing. */
export const staysShown = (before: Shown, now: Shown): boolean => now.isOver || shallowEqual(before, now);

function summaryOf(count: number): string {
  if (count === 0) return 'They leave no API keys behind.';
  return count === 1
    ? 'An API key that they made stays unless you revoke it:'
    : `${count} API keys that they made stay unless you revoke them:`;
}
