import { Box, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { HEARD_LEVEL } from '#machines/playground/live/inputLevel/machine.ts';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { LevelBar } from './LevelBar.tsx';
import { useMicrophone } from '../state.ts';

/** Chooses a microphone and tests it. */
export function MicrophoneInput({ isLocked }: { isLocked: boolean }) {
  const microphone = useMicrophone();
  const devices = useSelector(microphone, ({ context }) => context.devices);
  const deviceId = useSelector(microphone, ({ context }) => context.deviceId);
  const isTrying = useSelector(microphone, (snapshot) => snapshot.hasTag('trying'));
  const error = useSelector(microphone, ({ context }) => context.error);
  return (
    <Stack gap="3" mt="3">
      <SelectField
        id="microphone"
        label="Microphone"
        none="Default"
        value={deviceId}
        choices={devices.map(({ id, label }) => ({ code: id, name: label }))}
        isDisabled={isLocked}
        onChange={(chosen) => microphone.send({ type: 'device.selected', deviceId: chosen })}
      />
      <ReachableButton
        size="sm"
        variant="outline"
        can={!isLocked}
        aria-describedby="live-reasons"
        aria-pressed={isTrying}
        onClick={() => microphone.send({ type: isTrying ? 'trial.dismissed' : 'trial.requested' })}
      >
        {isTrying ? 'Stop the test' : 'Test the microphone'}
      </ReachableButton>
      {isTrying && <Level />}
      {error && (
        <Text role="alert" fontSize="sm" color="fg.error">
          {error.detail ?? error.message}
        </Text>
      )}
    </Stack>
  );
}

function Level() {
  const microphone = useMicrophone();
  const level = useSelector(microphone, ({ context }) => context.level);
  return (
    <Box>
      <LevelBar level={level} />
      <Text mt="1" fontSize="xs" color="fg.muted">
        {level > HEARD_LEVEL ? 'The microphone hears something.' : 'Say something: the bar should move.'}
      </Text>
    </Box>
  );
}
