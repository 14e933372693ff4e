// Converts limits to and from the units that people type: GiB for bytes, dollars for micro-dollars; streams and minutes
// stay as they are.
import type { LimitName } from '#contract/limits.ts';

type Unit = { size: number; decimals: number };

const COUNTED: Unit = { size: 1, decimals: 0 };
/**
 * The size of each typed unit in the API's unit, and how many decimals can be typed. As beside files, a GiB is
 * 2³⁰ bytes.
 */
const UNITS: Readonly<Record<LimitName, Unit>> = {
  requests_per_minute: COUNTED,
  concurrent_streams: COUNTED,
  waiting_jobs: COUNTED,
  stored_bytes: { size: 2 ** 30, decimals: 3 },
  audio_minutes: COUNTED,
  budget_micros: { size: 1_000_000, decimals: 6 },
};

/** The text to type for a value of the API: 2684354560 bytes → '2.5'. Rounds down to the decimals that can be typed. */
export function toTyped(limit: LimitName, value: number): string {
  const { size, decimals } = UNITS[limit];
  const step = 10 ** decimals;
  const whole = Math.floor(value / size);
  const fraction = Math.floor(((value - whole * size) * step) / size);
  const digits = String(fraction).padStart(decimals, '0').replace(/0+$/, '');
  return fraction === 0 ? String(whole) : `${whole}.${digits}`;
}

/**
 * Converts typed text into the API's unit; null if it is no amount, has too many decimals, or is too large for a
 * number.
 */
export function fromTyped(limit: LimitName, typed: string): number | null {
  const { size, decimals } = UNITS[limit];
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d+))?$/.exec(typed) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const value = Number(whole) * size + Math.round((Number(fraction.padEnd(decimals, '0')) * size) / 10 ** decimals);
  return Number.isSafeInteger(value) ? value : null;
}

/** Whether part of a unit can be typed. */
export const hasFractions = (limit: LimitName): boolean => UNITS[limit].decimals > 0;

/** Whether the typed limit is a budget of nothing, by which every request is refused. */
export const isNoBudget = (limit: LimitName, typed: string): boolean =>
  limit === 'budget_micros' && fromTyped(limit, typed.trim()) === 0;
