import { Box, Flex, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { plainRoute } from '#machines/playground/address.ts';
import type { SavingSessionActor } from '#machines/playground/live/savingSession/machine.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { ScreenLink } from '../../ui/ScreenLink.tsx';
import { SwitchField } from '../../ui/SwitchField.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useLive, usePlayground } from '../state.ts';
import { Section } from './Section.tsx';

/** The id of the link to the kept session, which replaces the button. */
const KEPT_ID = 'kept-session';

const useSavingSession = () => useSelector(useLive(), (snapshot) => snapshot.children.savingSession);

/** Offers to save the session's transcript, and shows the outcome (LVP-06). */
export function SaveSession() {
  const saving = useSavingSession();
  const failure = useSelector(saving, (snapshot) => snapshot?.context.failure);
  const isRemoved = useSelector(useLive(), (snapshot) => snapshot.hasTag('placeRemoved'));
  if (isRemoved) return null;
  return (
    <Box _empty={{ display: 'none' }}>
      <FailureAlert failure={failure} title="The session could not be kept.">
        <RefusalHelp limit={failure?.limit} />
      </FailureAlert>
      {/* The live region exists before its text, so that screen readers announce the text. */}
      <Flex as="output" aria-label="History" gap="2" mt="2" fontSize="sm" _empty={{ mt: '0' }}>
        {saving && <SaveButton saving={saving} />}
      </Flex>
    </Box>
  );
}

/** Chooses whether to save every session (LVP-07). */
export function SavingChoice() {
  const saving = useSavingSession();
  const isAlways = useSelector(saving, (snapshot) => snapshot?.context.isAlways ?? false);
  if (!saving) return null;
  return (
    <Section title="History">
      <SwitchField
        id="always-keep"
        label="Keep every session"
        isOn={isAlways}
        onChange={() => saving.send({ type: 'always.toggled' })}
        hint={isAlways ? 'Text and times go into History.' : 'Only what you keep is stored.'}
      />
    </Section>
  );
}

function SaveButton({ saving }: { saving: SavingSessionActor }) {
  const isUnsaved = useSelector(saving, (snapshot) => snapshot.hasTag('unsaved'));
  const isBusy = useSelector(saving, (snapshot) => snapshot.hasTag('busy'));
  const savedId = useSelector(saving, ({ context }) => context.savedId);
  const offersLast = useSelector(useLive(), ({ context }) => context.offersLast);
  if (savedId !== null) return <SavedLink id={savedId} />;
  if (!isUnsaved && !isBusy) return null;
  return (
    <ReachableButton
      size="sm"
      variant="outline"
      flex="1"
      data-next={KEPT_ID}
      can={isUnsaved}
      busy={isBusy}
      onClick={() => saving.send({ type: 'save.requested' })}
    >
      {offersLast ? 'Keep this session' : 'Keep the session before'}
    </ReachableButton>
  );
}

function SavedLink({ id }: { id: string }) {
  const base = useSelector(usePlayground(), ({ context }) => plainRoute(context), shallowEqual);
  return (
    <>
      <Text as="span" color="fg.muted">
        Kept.
      </Text>
      <ScreenLink
        id={KEPT_ID}
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
