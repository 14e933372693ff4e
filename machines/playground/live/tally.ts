import { MARKERS, type LiveToken } from '#contract/live.ts';

/** What is known of a session by what went through it (LVP-03). */
export type Tally = {
  /** Sound that was sent, milliseconds. */
  soundMs: number;
  /** Final words, without translations. */
  words: number;
  /** How much sound had been sent when the first word came; null while none has. */
  firstWordMs: number | null;
  /** What it cost, USD; null where that is not told. */
  costUsd: string | null;
  /** By what the server knows it; null until it has ended in order. */
  requestId: string | null;
  /** Whether the last final token may go on in the next one. */
  isInWord: boolean;
};

export const NO_TALLY: Tally = {
  soundMs: 0,
  words: 0,
  firstWordMs: null,
  costUsd: null,
  requestId: null,
  isInWord: false,
};

export const withSound = (tally: Tally, durationMs: number): Tally => ({
  ...tally,
  soundMs: tally.soundMs + durationMs,
});

export function withTokens(before: Tally, tokens: readonly LiveToken[]): Tally {
  const spoken = tokens.filter(
    ({ text, translation_status: status }) => !MARKERS.has(text) && status !== 'translation',
  );
  const hasSpeech = spoken.some(({ text }) => text.trim() !== '');
  let { words, isInWord } = before;
  for (const { text, is_final: isFinal } of spoken) {
    if (!isFinal || text === '') continue;
    const goesOn = isInWord && /^\S/.test(text);
    words += (text.match(/\S+/g)?.length ?? 0) - (goesOn ? 1 : 0);
    isInWord = /\S$/.test(text);
  }
  return { ...before, words, isInWord, firstWordMs: before.firstWordMs ?? (hasSpeech ? before.soundMs : null) };
}
