import { VisuallyHidden } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { TranscriptActor } from '#machines/transcript/machine.ts';
import { lastSentences } from './sentences.ts';

/** What a screen reader is told of a running transcript: final sentences only, each once, politely. */
export function FinalSentences({ transcript }: { transcript: TranscriptActor }) {
  const { chunks, tail } = useSelector(transcript, ({ context }) => ({ chunks: context.chunks, tail: context.tail }), shallowEqual);
  return (
    <VisuallyHidden aria-live="polite" aria-relevant="additions" aria-atomic="false">
      {lastSentences({ chunks, tail }).map(({ key, text }) => (
        <p key={key} dir="auto">
          {text}
        </p>
      ))}
    </VisuallyHidden>
  );
}
