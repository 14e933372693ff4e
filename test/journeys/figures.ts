/** Compares figures as a screen writes them with what a query says. It knows how figures are read, not how the product writes them. */
export type BilledRequest = {
  project: string;
  name: string;
  kind: 'async' | 'real_time';
  model: string;
  status: 'completed' | 'failed' | 'cancelled' | 'refused';
  audio_ms: number;
  cost_micros: number;
  processing_ms: number | null;
  first_word_ms: number | null;
  finals_ms: number | null;
  queue_ms: number | null;
  /** When it ended, as '2026-11-28T11:30:00.000Z'. */
  at: string;
};
/** `balance`: the sum of the entries until then, micro-USD. */
export type BilledEntry = { kind: string; description: string; micros: number; balance: number };

/** `usd` in micro-USD, `audio` and `latency` in milliseconds. */
export type Exact = { usd: number } | { audio: number } | { latency: number } | { count: number } | { percent: number };

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, min: 60_000, s: 1000, ms: 1 };
const NUMBER = /[\d,]+(?:\.\d+)?/;

/** Whether a text shows a figure, right to its last digit. */
export function shows(text: string, exact: Exact): boolean {
  if ('usd' in exact) {
    const [sign, digits] = /^([+-]?)\$([\d,]+\.\d+)$/.exec(text.replace('−', '-'))?.slice(1) ?? [];
    return digits !== undefined && isRounded(digits, Math.abs(exact.usd) / 1e6) && isSigned(sign, exact.usd, digits);
  }
  if ('count' in exact) return text.replaceAll(',', '') === String(exact.count);
  if ('percent' in exact) return text.endsWith('%') && isRounded(text.slice(0, -1), exact.percent);
  return 'audio' in exact ? isDuration(text, exact.audio) : isDuration(text, exact.latency);
}

function isSigned(sign: string | undefined, exact: number, digits: string): boolean {
  return sign === '-' ? exact < 0 : exact >= 0 || Number(digits.replaceAll(',', '')) === 0;
}

/** Half a step of the last digit to each side. */
function isRounded(digits: string, exact: number): boolean {
  if (!new RegExp(`^${NUMBER.source}$`).test(digits)) return false;
  const step = 10 ** -(digits.split('.')[1]?.length ?? 0);
  return Math.abs(Number(digits.replaceAll(',', '')) - exact) <= step / 2 + 1e-9;
}

/** '3 min 5 s', '16 h 24 min', '1.24 s', '85 ms': rounded where one unit is shown, else the last one may be cut. */
function isDuration(text: string, exactMs: number): boolean {
  const parts = [...text.matchAll(new RegExp(`(${NUMBER.source}) (h|min|s|ms)(?: |$)`, 'g'))];
  if (parts.map(([part]) => part).join('') !== text || parts.length === 0) return false;
  const shown = parts.reduce((sum, [, digits = '', unit = '']) => sum + Number(digits) * (UNITS_MS[unit] ?? NaN), 0);
  const [, digits = '', unit = ''] = parts.at(-1) ?? [];
  const step = (UNITS_MS[unit] ?? NaN) * 10 ** -(digits.split('.')[1]?.length ?? 0);
  return Math.abs(shown - exactMs) <= (unit === 'min' ? step : step / 2) + 1e-6;
}

type Sums = { requests: number; audio_ms: number; cost_micros: number };
/** The sums of some requests. */
export const sumOf = (requests: readonly BilledRequest[]): Sums => ({
  requests: requests.length,
  audio_ms: requests.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
  cost_micros: requests.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
});
