// Limits as people type them: streams and minutes as they are counted, GB in place of bytes, dollars in place of millionths.
import type { LimitName } from '#contract/limits.ts';

type Unit = { size: number; decimals: number };

const COUNTED: Unit = { size: 1, decimals: 0 };
/** What a person's unit is on the wire, and how many decimals of it can be typed. A GB is what it is beside each file: 2³⁰ bytes. */
const UNITS: Readonly<Record<LimitName, Unit>> = {
  requests_per_minute: COUNTED,
  concurrent_streams: COUNTED,
  waiting_jobs: COUNTED,
  stored_bytes: { size: 2 ** 30, decimals: 3 },
  audio_minutes: COUNTED,
  budget_micros: { size: 1_000_000, decimals: 6 },
};

/** A value of the wire as it is typed: 2684354560 bytes → '2.5'. Rounded down where it is finer than that: never more than it was. */
export function toTyped(limit: LimitName, value: number): string {
  const { size, decimals } = UNITS[limit];
  const step = 10 ** decimals;
  const whole = Math.floor(value / size);
  const fraction = Math.floor(((value - whole * size) * step) / size);
  const digits = String(fraction).padStart(decimals, '0').replace(/0+$/, '');
  return fraction === 0 ? String(whole) : `${whole}.${digits}`;
}

/** What was typed, as the wire has it; null where it is no amount, has too many decimals, or is beyond what a number holds. */
export function fromTyped(limit: LimitName, typed: string): number | null {
  const { size, decimals } = UNITS[limit];
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d+))?$/.exec(typed) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const value = Number(whole) * size + Math.round((Number(fraction.padEnd(decimals, '0')) * size) / 10 ** decimals);
  return Number.isSafeInteger(value) ? value : null;
}

/** Whether part of a unit can be typed. */
export const hasFractions = (limit: LimitName): boolean => UNITS[limit].decimals > 0;
