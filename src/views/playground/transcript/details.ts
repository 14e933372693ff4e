import type { Token } from '#machines/playground/transcript/record.ts';
import type { Word } from '#machines/playground/transcript/segments.ts';

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;

/** mm:ss.mmm (TRN-02), without hours: minutes go beyond 59. */
export function formatTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const minutes = Math.floor(whole / MS_PER_MINUTE);
  const seconds = Math.floor((whole % MS_PER_MINUTE) / MS_PER_SECOND);
  return `${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(whole % MS_PER_SECOND, 3)}`;
}

/** mm:ss, for clocks and paragraph headings. */
export const formatClock = (ms: number): string =>
  formatTime(Math.floor(ms / MS_PER_SECOND) * MS_PER_SECOND).slice(0, -4);

const pad = (value: number, digits: number) => String(value).padStart(digits, '0');

/**
 * The tooltip of a word: a line for each spoken token (TRN-02, UXP-57). With `withTags` (feature flag stt-tags) also
 * language, source language and translation status. Empty if nothing is known.
 */
export function wordDetailsText(word: Word, withTags: boolean): string {
  const tokens = spokenIn(word);
  const lines = tokens.map((token) => tokenDetails(token, withTags));
  if (tokens.length === 1) return lines.join('');
  return tokens.map((token, index) => [`“${token.text.trim()}”`, lines[index]].filter(Boolean).join(' ')).join('\n');
}

/** The word's tokens without punctuation, unless it has nothing else. */
function spokenIn({ tokens }: Word): readonly Token[] {
  const spoken = tokens.filter(({ text }) => !/^\s*\p{P}+\s*$/u.test(text));
  return spoken.length > 0 ? spoken : tokens;
}

function tokenDetails(token: Token, withTags: boolean): string {
  const { start_ms: start, end_ms: end, confidence } = token;
  const parts = [
    start === undefined || end === undefined ? '' : `${formatTime(start)} – ${formatTime(end)}`,
    confidence === undefined ? '' : `confidence ${confidence.toFixed(2)}`,
  ];
  if (withTags) {
    if (token.language !== undefined) parts.push(`language ${token.language}`);
    if (token.source_language !== undefined) parts.push(`source language ${token.source_language}`);
    if (token.translation_status !== undefined) parts.push(`translation status ${token.translation_status}`);
  }
  return parts.filter((part) => part !== '').join(', ');
}
