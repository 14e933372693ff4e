/** Why a recording cannot be played, in words. Browsers' own messages ("PipelineStatus::…") help nobody (CON-19). */
const WORDS: Readonly<Record<number, string>> = {
  // Codes of MediaError, whose constants exist only in browsers.
  2: 'It could not be read to its end. It may have been moved, changed or deleted since it was chosen.',
  3: 'It is damaged, or its sound is of a kind that this browser cannot decode.',
  4: 'This browser cannot play it. Choose an audio or video file, such as MP3 or WAV.',
};
const UNKNOWN = 'It could not be opened. Choose it again, or choose another one.';

/** The words for a media element's error. @param error null if the browser names none */
export const mediaProblem = (error: Pick<MediaError, 'code'> | null): string => WORDS[error?.code ?? 0] ?? UNKNOWN;
