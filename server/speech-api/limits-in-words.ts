import { API_KEYS_MAX } from '#contract/api-keys.ts';
import { CONTEXT_MAX_CHARS } from '#contract/translation.ts';
import type { Limit } from '../http/openapi/reference/guide.ts';
import type { SpeechServices } from './services.ts';

const count = (value: number): string => value.toLocaleString('en');
const size = (bytes: number): string => `${count(Math.round(bytes / 2 ** 20) / 1024)} GiB`;
const minutes = (ms: number): string => `${count(ms / 60_000)} minutes`;
const seconds = (ms: number): string => `${count(ms / 1000)} seconds`;

/** What bounds a project at this server, as the API reference tells it (DOC-01). */
export function limitsInWords({
  restLimits: { files, storedBytes, pending, transcriptions, creates },
  liveLimits,
  maxUploadBytes,
}: Pick<SpeechServices, 'restLimits' | 'liveLimits' | 'maxUploadBytes'>): Limit[] {
  return [
    { what: 'Size of a file', limit: size(maxUploadBytes) },
    { what: 'Files in store', limit: `${count(files)} files, ${size(storedBytes)}` },
    { what: 'Transcriptions queued or processing', limit: count(pending) },
    { what: 'Transcriptions in all', limit: count(transcriptions) },
    {
      what: 'New transcriptions and short-lived keys',
      limit: `${count(creates.burst)} at once, then ${count(60_000 / creates.everyMs)} a minute`,
    },
    { what: 'Characters of context', limit: count(CONTEXT_MAX_CHARS) },
    { what: 'API keys', limit: count(API_KEYS_MAX) },
    { what: 'Live sessions at the same time', limit: count(liveLimits.concurrentStreams) },
    {
      what: 'Live sessions of an organization at the same time',
      limit: count(liveLimits.organizationStreams),
    },
    { what: 'Live sessions started', limit: `${count(liveLimits.startsPerMinute)} a minute` },
    { what: 'Length of a live session', limit: minutes(liveLimits.maxDurationMs) },
    {
      what: 'Silence of the client in a live session: no audio, finalize or keepalive',
      limit: seconds(liveLimits.idleTimeoutMs),
    },
  ];
}
