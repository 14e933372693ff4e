/**
 * The 25 speaker colours (TRN-01), by speaker number minus one. Both themes use the same hues, so a speaker keeps its
 * colour when the theme changes. Neighbours are a golden angle apart; the first few are not red, the colour of errors.
 * All reach a contrast of 4.5:1 (checked by a test).
 */
export const SPEAKERS_LIGHT = [
  '#8b36e2',
  '#7a671f',
  '#0a727b',
  '#c01b83',
  '#3c761e',
  '#2b34ee',
  '#b7401a',
  '#1e764d',
  '#ae11d0',
  '#606b0f',
  '#286e9f',
  '#cb1048',
  '#127811',
  '#6f47d1',
  '#92590c',
  '#117467',
  '#b42d9e',
  '#427109',
  '#2d5be1',
  '#c03530',
  '#0a762d',
  '#9b29e0',
  '#1e63d2',
  '#c0303d',
  '#0a761f',
] as const;

export const SPEAKERS_DARK = [
  '#b782ed',
  '#ccab33',
  '#13dbec',
  '#ea6cbc',
  '#67cc33',
  '#8e93f6',
  '#e77c5a',
  '#33cc85',
  '#dc6df3',
  '#c9df20',
  '#58a2d5',
  '#f36d95',
  '#21df20',
  '#a58de2',
  '#ec9013',
  '#20dfc6',
  '#dc74cc',
  '#8aec13',
  '#7996ec',
  '#de807c',
  '#13ec5a',
  '#c27eed',
  '#6c9cea',
  '#df8189',
  '#13ec3f',
] as const;

const SPEAKER_COLOURS = SPEAKERS_LIGHT.length;

/** A speaker's colour, as CSS. Labels are strings such as "1"; labels that are no number share the first colour. */
export function speakerColour(speaker: string | undefined): string {
  const number = Number.parseInt(speaker ?? '1', 10);
  const index = Number.isFinite(number) && number > 0 ? (number - 1) % SPEAKER_COLOURS : 0;
  return `var(--chakra-colors-speaker-${index + 1})`;
}
