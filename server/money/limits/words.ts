/** Limits as people read them in mails, in the audit log and on the operator's terminal. */
import type { LimitName } from '#contract/limits.ts';
import { toUsd } from '../usage/prices.ts';

export const LIMIT_NAMES: Readonly<Record<LimitName, string>> = {
  requests_per_minute: 'requests per minute',
  concurrent_streams: 'concurrent streams',
  waiting_jobs: 'waiting transcriptions',
  stored_bytes: 'stored bytes',
  audio_minutes: 'audio minutes per month',
  budget_micros: 'budget per month',
};

/** @param none the text for null */
export function valueInWords(name: LimitName, value: number | null, none = 'not set'): string {
  if (value === null) return none;
  return name === 'budget_micros' ? dollars(value) : value.toLocaleString('en');
}

/** As screens show amounts: '$4.50'; an amount with a part of a cent as it is, '$0.0005'. */
const dollars = (micros: number): string => {
  const [whole = '0', part = ''] = toUsd(micros).split('.');
  return `$${Number(whole).toLocaleString('en')}.${part.padEnd(2, '0')}`;
};
