import { MARKERS, type LiveToken } from '#contract/live.ts';

/** Counts of a session, from its sound and tokens (LVP-03). */
export type Tally = {
  /** Sound sent, milliseconds. */
  soundMs: number;
  /** Sound recorded before the connection stood, which is sent once it does, milliseconds. */
  unsentMs: number;
  /** Final words, without translations. */
  words: number;
  /** Sound sent before the first word came, milliseconds; null before that. */
  firstWordMs: number | null;
  /** Cost, USD; null if the server does not say. */
  costUsd: string | null;
  /** The server's id of the session; null until it has ended normally. */
  requestId: string | null;
  /** Whether the last final token ends within a word, which the next may continue. */
  isInWord: boolean;
};

export const NO_TALLY: Tally = {
  soundMs: 0,
  unsentMs: 0,
  words: 0,
  firstWordMs: null,
  costUsd: null,
  requestId: null,
  isInWord: false,
};

/** Whether any of them is more than a marker or a space. */
export const isSpeech = (tokens: readonly LiveToken[]): boolean =>
  tokens.some(({ text }) => text.trim() !== '' && !MARKERS.has(text));

/** Whether the session has final words. Others may go with its end. */
export const hasFinalWords = ({ words }: Tally): boolean => words > 0;

/** Whether the session has words, final or not. */
export const hasHeard = ({ firstWordMs }: Tally): boolean => firstWordMs !== null;

export const withSound = (tally: Tally, durationMs: number): Tally => ({
  ...tally,
  soundMs: tally.soundMs + durationMs,
});

export const withUnsent = (tally: Tally, durationMs: number): Tally => ({
  ...tally,
  unsentMs: tally.unsentMs + durationMs,
});

/** The connection stands: what was recorded before has been sent. */
export const withSent = (tally: Tally): Tally => ({ ...withSound(tally, tally.unsentMs), unsentMs: 0 });

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

/** Whether these tokens have the session's first final words. */
export const beginsWords = (tally: Tally, tokens: readonly LiveToken[]): boolean =>
  !hasFinalWords(tally) && hasFinalWords(withTokens(tally, tokens));
