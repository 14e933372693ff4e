import type { ExportFormat } from '#machines/playground/reader/exporter/formats.ts';

/** The forms of a transcript: in a list of formats, and as a tab. */
export const FORMATS: readonly { value: ExportFormat; label: string; tab: string }[] = [
  { value: 'txt', label: 'Text', tab: 'Transcript' },
  { value: 'json', label: 'JSON', tab: 'JSON' },
  { value: 'srt', label: 'SRT', tab: 'SRT' },
  { value: 'vtt', label: 'WebVTT', tab: 'WebVTT' },
];
