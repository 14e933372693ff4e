/** Why a recording cannot be played, in words: what a browser says of its own insides ("PipelineStatus::…") helps nobody (CON-19). */
const WORDS: Readonly<Record<number, string>> = {
  // Of MediaError; its names are no numbers outside of a browser.
  2: 'It could not be read to its end. It may have been moved, changed or deleted since it was chosen.',
  3: 'It is damaged, or its sound is of a kind that this browser cannot decode.',
  4: 'This browser cannot play it. Choose an audio or video file, such as MP3 or WAV.',
};
const UNKNOWN = 'It could not be opened. Choose it again, or choose another one.';

/** The words for the error of a media element; null where the browser names none. */
export const mediaProblem = (error: Pick<MediaError, 'code'> | null): string => WORDS[error?.code ?? 0] ?? UNKNOWN;
