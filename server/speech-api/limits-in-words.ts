import { API_KEYS_MAX } from '#contract/api-keys.ts';
import { LIMITS, type LimitName } from '#contract/limits.ts';
import { CONTEXT_MAX_CHARS } from '#contract/translation.ts';
import type { Limit } from '../http/openapi/reference/guide.ts';
import { toUsd } from '../money/usage/prices.ts';
import type { SpeechServices } from './services.ts';

const count = (value: number): string => value.toLocaleString('en');
const size = (bytes: number): string => `${count(Math.round(bytes / 2 ** 20) / 1024)} GiB`;
const minutes = (ms: number): string => `${count(ms / 60_000)} minutes`;
const seconds = (ms: number): string => `${count(ms / 1000)} seconds`;

const bounded = (value: number | null, words: (value: number) => string): string =>
  value === null ? 'no limit unless one is set' : `${words(value)} unless set otherwise`;
const OF_ORGANIZATIONS: Readonly<Record<LimitName, readonly [what: string, words: (value: number) => string]>> = {
  requests_per_minute: [
    'Transcriptions, short-lived keys and live sessions of an organization that begin in a minute',
    count,
  ],
  concurrent_streams: ['Live sessions of an organization at the same time', count],
  waiting_jobs: ['Transcriptions of an organization that are queued or processing', count],
  stored_bytes: ['Files of an organization together', size],
  audio_minutes: ['Audio of an organization in a month (UTC)', (value) => `${count(value)} minutes`],
  budget_micros: ['Cost of an organization in a month (UTC)', (value) => `${toUsd(value)} USD`],
};

/**
 * The limits of this server for the API reference (DOC-01). Limits of organizations are the defaults: the operator may
 * have allowed more, and an organization may have set less.
 */
export function limitsInWords({
  limitDefaults,
  storedItemLimits: { files, transcriptions },
  liveLimits,
  maxUploadBytes,
}: Pick<SpeechServices, 'limitDefaults' | 'storedItemLimits' | 'liveLimits' | 'maxUploadBytes'>): Limit[] {
  return [
    { what: 'Size of a file', limit: size(maxUploadBytes) },
    { what: 'Files in store', limit: count(files) },
    { what: 'Transcriptions in all', limit: count(transcriptions) },
    { what: 'Characters of context', limit: count(CONTEXT_MAX_CHARS) },
    { what: 'API keys', limit: count(API_KEYS_MAX) },
    ...LIMITS.map((name) => ({
      what: OF_ORGANIZATIONS[name][0],
      limit: bounded(limitDefaults[name], OF_ORGANIZATIONS[name][1]),
    })),
    { what: 'Length of a live session', limit: minutes(liveLimits.maxDurationMs) },
    {
      what: 'Silence of the client in a live session: no audio, finalize or keepalive',
      limit: seconds(liveLimits.idleTimeoutMs),
    },
  ];
}
