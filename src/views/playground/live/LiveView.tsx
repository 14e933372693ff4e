import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { usePlayground } from '../state.ts';
import { Workbench } from '../Workbench.tsx';
import { MicrophoneSection } from './MicrophoneSection.tsx';
import { SavingChoice } from './SavingSession.tsx';
import { LiveControls } from './LiveControls.tsx';
import { LiveOutput } from './LiveOutput.tsx';
import { LiveSettings } from './LiveSettings.tsx';

const UNSUPPORTED = { message: 'Live transcription is not supported on your browser.' };

/** The WebSocket API tab: audio source, settings, and the live transcript. */
export function LiveView() {
  // Whether the browser supports live transcription (LIV-21).
  const isSupported = useSelector(usePlayground(), ({ context }) => context.isLiveSupported);
  if (!isSupported) {
    return (
      <FailureAlert failure={UNSUPPORTED}>
        <Text>
          It needs a secure page, a microphone interface and audio worklets. The REST API tab works without them.
        </Text>
      </FailureAlert>
    );
  }
  return (
    <Workbench
      title="Live session"
      bar={<LiveControls />}
      panel={
        <>
          <MicrophoneSection />
          <LiveSettings />
          <SavingChoice />
        </>
      }
    >
      <LiveOutput />
    </Workbench>
  );
}
