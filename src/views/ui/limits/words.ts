/** Texts about limits. */
import type { Limit, LimitName } from '#contract/limits.ts';
import { lazily } from '#machines/shared/lazily.ts';
import type { What } from '#machines/workspace/limits/select.ts';
import { formatCost, formatCount } from '../figures.ts';
import { formatBytes } from '../format.ts';

type Words = {
  name: string;
  /** What the limit counts, as a sentence. */
  text: string;
  /** What is refused once the limit is reached, and until when. */
  refused: string;
  /** The label of the field that changes it. */
  field: string;
};

export const WORDS: Readonly<Record<LimitName, Words>> = {
  requests_per_minute: {
    name: 'Requests per minute',
    text: 'Transcriptions, live sessions and temporary keys started within a minute.',
    refused: 'New requests are refused until a minute has passed.',
    field: 'Requests per minute',
  },
  concurrent_streams: {
    name: 'Concurrent streams',
    text: 'Live sessions running at the same time.',
    refused: 'New live sessions are refused until one ends.',
    field: 'Streams at the same time',
  },
  waiting_jobs: {
    name: 'Waiting transcriptions',
    text: 'Transcriptions of files that are queued or in progress.',
    refused: 'New transcriptions are refused until one is done.',
    field: 'Transcriptions waiting at the same time',
  },
  stored_bytes: {
    name: 'Stored files',
    text: 'All uploaded files, and those being uploaded.',
    refused: 'Uploads are refused until files are deleted.',
    field: 'Size of all files, in GiB',
  },
  audio_minutes: {
    name: 'Audio per month',
    text: 'Audio transcribed in a calendar month (UTC).',
    refused: 'New requests are refused until the next month begins (UTC).',
    field: 'Minutes of audio per month',
  },
  budget_micros: {
    name: 'Monthly budget',
    text: 'What requests may cost in a calendar month (UTC).',
    refused: 'New requests are refused until the next month begins (UTC).',
    field: 'Budget per month, in US dollars',
  },
};

const BYTES_PER_GIB = 2 ** 30;
const GIB = lazily(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));
/** Like `formatBytes`, but without '.0': '10 GiB'. */
const formatSize = (bytes: number): string =>
  bytes === 0 || bytes >= BYTES_PER_GIB ? `${GIB().format(bytes / BYTES_PER_GIB)} GiB` : formatBytes(bytes);

const counted = (one: string, many: string) => (count: number) => `${formatCount(count)} ${count === 1 ? one : many}`;

const AMOUNTS: Readonly<Record<LimitName, (value: number) => string>> = {
  requests_per_minute: counted('request', 'requests'),
  concurrent_streams: counted('stream', 'streams'),
  waiting_jobs: counted('transcription', 'transcriptions'),
  stored_bytes: formatSize,
  audio_minutes: counted('minute', 'minutes'),
  budget_micros: formatCost,
};

/** An amount with the limit's unit: '10 streams', '2.5 GiB', '0.983 minutes', '$50.00'. */
export const formatLimit = (limit: LimitName, value: number): string => AMOUNTS[limit](value);

/** The words after a used amount. */
const USES: Readonly<Record<LimitName, string>> = {
  requests_per_minute: ' in the last minute',
  concurrent_streams: ' in use',
  waiting_jobs: ' waiting',
  stored_bytes: '',
  audio_minutes: ' this month',
  budget_micros: ' this month',
};

/** Whether each amount needs its own unit, such as '841 KiB of 10 GiB'. */
const hasOwnUnit = (name: LimitName): boolean => name === 'stored_bytes' || name === 'budget_micros';

/** What is used, beside a limit that tells the unit: '2 in use', '3.1 GiB', '$12.40 this month'. */
export const useText = ({ name, used }: Pick<Limit, 'name' | 'used'>): string =>
  `${hasOwnUnit(name) ? formatLimit(name, used) : formatCount(used)}${USES[name]}`;

/** '2 of 10 streams in use', '3.1 GiB of 10 GiB', '$12.40 of $50.00 this month'; without a limit, '2 streams in use'. */
export function usedText({ name, value, used }: Pick<Limit, 'name' | 'value' | 'used'>): string {
  if (value === null) return `${formatLimit(name, used)}${USES[name]}`;
  const first = hasOwnUnit(name) ? formatLimit(name, used) : formatCount(used);
  return `${first} of ${formatLimit(name, value)}${USES[name]}`;
}

/** What running and waiting requests have reserved: ' · $0.10 reserved'; empty if nothing. */
export const reservedText = ({ name, reserved }: Pick<Limit, 'name' | 'reserved'>): string =>
  reserved === 0 ? '' : ` · ${formatLimit(name, reserved)} reserved`;

const OWN_SOURCE: Readonly<Record<What, string>> = {
  organization: 'The organization',
  project: 'This project',
};
const INHERITED: Readonly<Record<What, string>> = { organization: 'Default', project: 'The organization' };

/** What a limit is set by, and the highest value that can be set here, unless it already applies. */
export function sourceText(what: What, { name, own, value, maximum }: Limit): string {
  const source = own === null ? INHERITED[what] : OWN_SOURCE[what];
  return maximum === null || maximum === value ? source : `${source} · at most ${formatLimit(name, maximum)}`;
}

/** The title of the dialog: 'Change the limit of stored files'. */
export const changeTitle = (name: LimitName): string =>
  `Change the ${name === 'budget_micros' ? '' : 'limit of '}${WORDS[name].name.toLowerCase()}`;

/** A note if the project's own limit is higher than the organization allows; else null. */
export const cappedText = ({ name, own, value }: Limit): string | null =>
  own !== null && value !== null && own > value
    ? `Set to ${formatLimit(name, own)} here, but the organization allows only ${formatLimit(name, value)}.`
    : null;
