import type { ExportFormat } from '#machines/playground/reader/exporter/formats.ts';

/** The export formats: their label in a list, and as a tab. */
export const FORMATS: readonly { value: ExportFormat; label: string; tab: string }[] = [
  { value: 'txt', label: 'Text', tab: 'Transcript' },
  { value: 'json', label: 'JSON', tab: 'JSON' },
  { value: 'srt', label: 'SRT', tab: 'SRT' },
  { value: 'vtt', label: 'WebVTT', tab: 'WebVTT' },
];
