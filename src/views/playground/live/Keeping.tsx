import { Box, Flex, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { plainRoute } from '#machines/playground/context.ts';
import type { KeepingActor } from '#machines/playground/live/keeping/machine.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { ScreenLink } from '../../ui/ScreenLink.tsx';
import { SwitchField } from '../fields/SwitchField.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useLive, usePlayground } from '../state.ts';
import { Section } from './Section.tsx';

const useKeeping = () => useSelector(useLive(), (snapshot) => snapshot.children.keeping);

/** Offers to keep what a session heard, and says what became of it (LVP-06). */
export function KeepSession() {
  const keeping = useKeeping();
  const failure = useSelector(keeping, (snapshot) => snapshot?.context.failure);
  return (
    <Box _empty={{ display: 'none' }}>
      <FailureAlert failure={failure} title="The session could not be kept.">
        <RefusalHelp limit={failure?.limit} />
      </FailureAlert>
      {/* There before its words are, so that they are read out. */}
      <Flex as="output" aria-label="History" gap="2" mt="2" fontSize="sm" _empty={{ mt: '0' }}>
        {keeping && <Offer keeping={keeping} />}
      </Flex>
    </Box>
  );
}

/** Whether every session is kept (LVP-07). */
export function KeepingChoice() {
  const keeping = useKeeping();
  const isAlways = useSelector(keeping, (snapshot) => snapshot?.context.isAlways ?? false);
  if (!keeping) return null;
  return (
    <Section title="History">
      <SwitchField
        id="always-keep"
        label="Keep every session"
        isOn={isAlways}
        onChange={() => keeping.send({ type: 'always.toggled' })}
        hint={isAlways ? 'Text and times go into History.' : 'Only what you keep is stored.'}
      />
    </Section>
  );
}

function Offer({ keeping }: { keeping: KeepingActor }) {
  const isUnkept = useSelector(keeping, (snapshot) => snapshot.hasTag('unkept'));
  const isBusy = useSelector(keeping, (snapshot) => snapshot.hasTag('busy'));
  const keptId = useSelector(keeping, ({ context }) => context.keptId);
  if (keptId !== null) return <KeptLink id={keptId} />;
  if (!isUnkept && !isBusy) return null;
  return (
    <ReachableButton
      size="sm"
      variant="outline"
      flex="1"
      can={isUnkept}
      busy={isBusy}
      onClick={() => keeping.send({ type: 'keep.requested' })}
    >
      Keep this session
    </ReachableButton>
  );
}

function KeptLink({ id }: { id: string }) {
  const base = useSelector(usePlayground(), ({ context }) => plainRoute(context), shallowEqual);
  return (
    <>
      <Text as="span" color="fg.muted">
        Kept.
      </Text>
      <ScreenLink
        to={{ ...base, mode: 'async', transcriptionId: id }}
        color="brand.fg"
        textDecoration="underline"
        textUnderlineOffset="3px"
      >
        Open in History
      </ScreenLink>
    </>
  );
}
