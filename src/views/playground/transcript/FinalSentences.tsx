import { VisuallyHidden } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useTranscript } from '../state.ts';
import { lastSentences, type Sentence } from './sentences.ts';

/** Announces each final sentence of a running transcript to screen readers, once and politely. */
export function FinalSentences() {
  const transcript = useTranscript();
  const sentences = useSelector(transcript, ({ context }) => lastSentences(context), areSame);
  return (
    <VisuallyHidden className="notranslate" aria-live="polite" aria-relevant="additions" aria-atomic="false">
      {sentences.map(({ key, text }) => (
        <p key={key} dir="auto">
          {text}
        </p>
      ))}
    </VisuallyHidden>
  );
}

const areSame = (a: readonly Sentence[], b: readonly Sentence[]) =>
  a.length === b.length && a.every(({ key, text }, index) => key === b[index]?.key && text === b[index]?.text);
