import { useSelector } from '@xstate/react';
import { useLive } from '../state.ts';
import { MicrophoneInput } from './MicrophoneInput.tsx';
import { Section } from './Section.tsx';

/** The microphone's settings, if the microphone is the source. */
export function MicrophoneSection() {
  const live = useLive();
  const source = useSelector(live, ({ context }) => context.source);
  const isLocked = useSelector(live, (snapshot) => !snapshot.hasTag('stopped'));
  if (source === 'file') return null;
  return (
    <Section title="Audio input">
      <MicrophoneInput isLocked={isLocked} />
    </Section>
  );
}
