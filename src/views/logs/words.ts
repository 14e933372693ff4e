/** Texts about requests. */
import type { LogEntry, LogRequest, LogSettings, LogStatus } from '#contract/logs.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { LogsContext } from '#machines/workspace/logs/context.ts';
import type { LogPeriod } from '#machines/workspace/logs/filter.ts';
import { waitingIn } from '#machines/workspace/logs/rows.ts';
import type { LogsView } from '#machines/shared/route.ts';
import { ZONE_NAMES } from '../ui/format.ts';
import { longStep } from '../ui/usage/bars.ts';
import { formatCount } from '../ui/figures.ts';

export const STATUS_NAMES: Readonly<Record<LogStatus, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  refused: 'Refused',
  cancelled: 'Cancelled',
};
export const PERIOD_NAMES: Readonly<Record<LogPeriod, string>> = {
  hour: 'Last hour',
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  all: 'All',
};

/** The person's own times: 'Nov 3, 2026, 14:00 – Nov 4, 2026, 15:00 (UTC)', 'From Nov 3, 2026, 14:00 (local)'. */
export function timesText({ from, to }: Pick<LogsView, 'from' | 'to'>, zone: Zone): string {
  const [start, end] = [from, to].map((at) => (at === undefined ? '' : longStep(at, 'hourly', zone)));
  const times = start && end ? `${start} – ${end}` : start ? `From ${start}` : `Before ${end}`;
  return `${times} (${ZONE_NAMES[zone]})`;
}

/** The model's name; 'Several models' if the entry counts requests of several; null if none is known. */
export const modelOf = ({ model, refusal }: Pick<LogEntry, 'model' | 'refusal'>): string | null =>
  refusal?.several_models === true ? 'Several models' : model || null;

/** The client reference ID; 'Several references' if the entry counts requests of several; null without one. */
export const referenceOf = ({ client_reference_id, refusal }: LogEntry): string | null =>
  refusal?.several_references === true ? 'Several references' : client_reference_id;

/** A key's name; the end of its id if it was deleted. */
export const keyName = ({ uuid, name }: { uuid: string; name: string | null }): string =>
  name ?? `Deleted key …${uuid.slice(-4)}`;

/** Who made the request: the API key's name, or the person. */
export const callerOf = ({ key, person, origin }: LogEntry): string =>
  key ? keyName(key) : (person ?? (origin === 'playground' ? 'Playground' : 'Unknown'));

/**
 * How long a request took, milliseconds; null if it was refused. Of a transcription: in the queue and processing, as far
 * as known; of a live session: from its start to its end.
 */
export function durationOf({ status, queue_ms, processing_ms, started_at, ended_at }: LogEntry): number | null {
  if (status === 'refused') return null;
  return queue_ms !== null && processing_ms !== null
    ? queue_ms + processing_ms
    : Date.parse(ended_at) - Date.parse(started_at);
}

/** Whether a request ended without using anything: its audio and cost are no figures. */
export const isUnused = ({ status, audio_ms, cost_micros }: LogEntry): boolean =>
  status !== 'completed' && audio_ms === 0 && !cost_micros;

/** The error of a request, such as 'limit_exceeded'; 'limit_exceeded × 21' if the entry counts further ones. */
export const errorOf = ({ error_type, refusal }: LogEntry): string | null =>
  error_type !== null && refusal !== null && refusal.requests > 1
    ? `${error_type} × ${formatCount(refusal.requests)}`
    : error_type;

export type Span = { name: string; ms: number };
/** The measured parts of a request's duration. */
export const spansOf = ({ queue_ms, processing_ms, first_word_ms, finals_ms }: LogEntry): Span[] =>
  [
    { name: 'In the queue', ms: queue_ms },
    { name: 'Processing', ms: processing_ms },
    { name: 'To the first word', ms: first_word_ms },
    { name: 'To the last final word', ms: finals_ms },
  ].flatMap(({ name, ms }) => (ms === null ? [] : [{ name, ms }]));

const onOrOff = (isOn: boolean): string => (isOn ? 'On' : 'Off');

/** A request's settings as names and values. */
export function settingsInWords(settings: LogSettings | LogRequest): [name: string, value: string][] {
  const { language_hints: hints, language_hints_strict, translation } = settings;
  const only = language_hints_strict ? ' and no other' : '';
  return [
    ['Language hints', hints && hints.length > 0 ? hints.join(', ') + only : 'None'],
    ['Speaker diarization', onOrOff(settings.enable_speaker_diarization ?? false)],
    ['Language identification', onOrOff(settings.enable_language_identification ?? false)],
    ['Translation', translation === null ? 'Off' : translationInWords(translation)],
  ];
}

const translationInWords = (translation: NonNullable<LogSettings['translation']>): string =>
  translation.type === 'one_way'
    ? `Into ${translation.target_language}`
    : `Between ${translation.language_a} and ${translation.language_b}`;

const requests = (count: number, what: '' | 'new ', more = ''): string =>
  `${formatCount(count)}${more} ${what}${count === 1 && more === '' ? 'request' : 'requests'}`;

/** The button's text: '3 new requests', '50+ new requests'; empty if none wait. */
export function waitingText(context: Pick<LogsContext, 'rows' | 'fresh'>): string {
  const { count, isMore } = waitingIn(context);
  return count === 0 ? '' : requests(count, 'new ', isMore ? '+' : '');
}

type Shown = Pick<LogsContext, 'rows' | 'nextCursor' | 'fresh' | 'arrival'>;

/** The announcement of shown, new or further requests, for screen readers. */
export function arrivalText(context: Shown): string {
  const waiting = waitingText(context);
  if (waiting !== '') return `${waiting} above.`;
  const { arrival, rows, nextCursor } = context;
  if (arrival === null) return requests(rows.length, '', nextCursor === null ? '' : '+');
  const what = arrival.what === 'new' ? requests(arrival.count, 'new ') : `${formatCount(arrival.count)} more`;
  return `${what}, ${formatCount(rows.length)} in all.`;
}

const two = (part: number): string => String(part).padStart(2, '0');

/** A time as the value of a `datetime-local` field in the zone: '2026-05-04T12:30'; empty without one. */
export function fieldOf(moment: string | undefined, zone: Zone): string {
  if (moment === undefined) return '';
  const at = new Date(moment);
  if (zone === 'utc') return at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The value of a `datetime-local` field in the zone as a UTC time; null if empty, unchanged if no valid time. */
export function momentOf(field: string, zone: Zone): string | null {
  const at = new Date(zone === 'utc' ? `${field}Z` : field);
  if (field === '') return null;
  return Number.isNaN(at.getTime()) ? field : at.toISOString();
}
