type Asked = {
  language_hints?: readonly string[] | null | undefined;
  context?: unknown;
  enable_speaker_diarization?: boolean | null | undefined;
  enable_language_identification?: boolean | null | undefined;
  enable_audio_event_detection?: boolean | null | undefined;
  translation?: unknown;
};

/** A transcription's settings that differ from the defaults, in a word each (UXP-52, UXP-53). */
export function settingsOf(asked: Asked): string[] {
  const { language_hints: hints, context, translation } = asked;
  return [
    ...(hints && hints.length > 0 ? [hints.join(', ')] : []),
    ...(asked.enable_speaker_diarization ? ['speakers'] : []),
    ...(asked.enable_language_identification ? ['languages'] : []),
    ...(asked.enable_audio_event_detection ? ['events'] : []),
    ...(translation ? ['translation'] : []),
    ...(context ? ['context'] : []),
  ];
}
