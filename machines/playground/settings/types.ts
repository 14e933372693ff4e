import type { LiveConfig } from '#contract/live.ts';

export type TranslationType = 'one_way' | 'two_way';

/** Settings of the async panel (ASY-11). */
export type AsyncSettings = {
  readonly language_hints: readonly string[];
  readonly context: string;
  readonly enable_speaker_diarization: boolean;
  readonly enable_language_identification: boolean;
  readonly enable_audio_event_detection: boolean;
  readonly translation_type: TranslationType | null;
  readonly translation_one_way: { readonly target_language: string | null };
  readonly translation_two_way: { readonly language_a: string | null; readonly language_b: string | null };
};

export const ASYNC_DEFAULTS: AsyncSettings = {
  language_hints: [],
  context: '',
  enable_speaker_diarization: false,
  enable_language_identification: false,
  enable_audio_event_detection: false,
  translation_type: null,
  translation_one_way: { target_language: null },
  translation_two_way: { language_a: null, language_b: null },
};

/** Settings of the live panel (LIV-24). */
export type LiveSettings = {
  readonly languageHints: readonly string[];
  readonly context: string;
  readonly enableSpeakerDiarization: boolean;
  readonly enableLanguageIdentification: boolean;
  readonly enableAudioEventDetection: boolean;
  readonly enableEndpointDetection: boolean;
  readonly translationType: TranslationType | null;
  readonly translationOneWay: { readonly targetLanguage: string | null };
  readonly translationTwoWay: { readonly languageA: string | null; readonly languageB: string | null };
};

export const LIVE_DEFAULTS: LiveSettings = {
  languageHints: [],
  context: '',
  enableSpeakerDiarization: false,
  enableLanguageIdentification: false,
  enableAudioEventDetection: false,
  enableEndpointDetection: false,
  translationType: null,
  translationOneWay: { targetLanguage: null },
  translationTwoWay: { languageA: null, languageB: null },
};

/** A live session's first frame without its key, which the chart `socket` adds as it is sent. */
export type KeylessLiveConfig = Omit<LiveConfig, 'api_key' | 'context'> & {
  /** Unchecked; the server refuses a bad one. */
  context?: unknown;
};
/** The part of the first frame that the settings decide; the capture adds the audio format. */
export type LiveSessionConfig = Omit<KeylessLiveConfig, 'audio_format' | 'sample_rate' | 'num_channels'>;
