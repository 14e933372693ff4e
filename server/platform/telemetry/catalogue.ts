/** Every metric of the server, for Prometheus. A test compares them with the table in docs/metrics.md. */

/** A label's possible values, or a description of them. Never identifies an organization or a person. */
type Label = readonly string[] | string;

export interface Metric {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: Readonly<Record<string, Label>>;
  /** Upper bounds of the buckets. */
  buckets?: readonly number[];
  /** Read from the database, so every process reports the same value. */
  shared?: true;
}

const KIND = 'kind of job';
const POOL = ['queries', 'reports', 'patient'] as const;
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const ANSWERS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120] as const;
const WORK = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600] as const;

export const METRICS = {
  parlance_ready: {
    kind: 'gauge',
    help: 'Whether a part that requests need is there (1) or lacking (0), as /readyz has it.',
    labels: { part: 'database, storage, recognizer' },
  },
  parlance_http_requests_total: {
    kind: 'counter',
    help: 'Requests answered.',
    labels: { method: 'HTTP method', route: 'pattern of the route', status: 'HTTP status' },
  },
  parlance_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time until a request is answered; of an answer that is streamed, until it begins.',
    labels: { method: 'HTTP method', route: 'pattern of the route' },
    buckets: ANSWERS,
  },
  parlance_limit_refusals_total: {
    kind: 'counter',
    help: 'Requests and streams that a limit, a budget or a balance refused; attempts: too many in too short a time.',
    labels: { limit: 'name of the limit, balance, attempts', of: ['organization', 'project', 'client'] },
  },
  parlance_live_streams: { kind: 'gauge', help: 'Live streams that are recognized now.', labels: {} },
  parlance_live_stream_places: { kind: 'gauge', help: 'Live streams that can be recognized at once.', labels: {} },
  parlance_live_sessions_total: {
    kind: 'counter',
    help: 'Live sessions that have ended; aborted: the client went away.',
    labels: { end: ['completed', 'failed', 'aborted'], error: 'type of the error, or none' },
  },
  parlance_live_handshakes_refused_total: {
    kind: 'counter',
    help: 'Live handshakes refused with 503, so that a balancer tries another process.',
    labels: { reason: ['full', 'stopping'] },
  },
  parlance_recognizer_ready: {
    kind: 'gauge',
    help: 'Whether the recognizer, or the speech service in its place, can work (1) or not (0).',
    labels: {},
  },
  parlance_recognizer_workers: { kind: 'gauge', help: 'Recordings that are recognized at once, at most.', labels: {} },
  parlance_recognizer_processes: { kind: 'gauge', help: 'Processes of the recognizer that run.', labels: {} },
  parlance_recognizer_resident_bytes: {
    kind: 'gauge',
    help: 'Memory that the processes of the recognizer take.',
    labels: {},
  },
  parlance_recognizer_processes_ended_total: {
    kind: 'counter',
    help: 'Processes of the recognizer that have ended. lost: died, hung or took too much memory; replaced: had grown, and were replaced without harm.',
    labels: { how: ['lost', 'replaced'] },
  },
  parlance_recognizer_audio_seconds_total: {
    kind: 'counter',
    help: 'Audio recognized; its rate is how many times faster than speech the recognizer works just now.',
    labels: { source: ['recording', 'stream'] },
  },
  parlance_jobs_waiting: {
    kind: 'gauge',
    help: 'Jobs that are due and wait for a worker.',
    labels: { kind: KIND },
    shared: true,
  },
  parlance_jobs_oldest_waiting_seconds: {
    kind: 'gauge',
    help: 'How long the job has been due that waits longest; 0 where none waits.',
    labels: { kind: KIND },
    shared: true,
  },
  parlance_jobs_put_off: {
    kind: 'gauge',
    help: 'Jobs that wait for a later time, most after a failure.',
    labels: { kind: KIND },
    shared: true,
  },
  parlance_jobs_dead: {
    kind: 'gauge',
    help: 'Jobs that were given up, and stay in the database for the operator to see.',
    labels: { kind: KIND },
    shared: true,
  },
  parlance_jobs_running: { kind: 'gauge', help: 'Jobs that this process works on.', labels: { kind: KIND } },
  parlance_jobs_ended_total: {
    kind: 'counter',
    help: 'Runs of jobs by their end. retried: failed, and tried again later; put_off: waits for something else; handed_back: the process stops.',
    labels: { kind: KIND, outcome: ['done', 'retried', 'given_up', 'put_off', 'handed_back', 'cancelled'] },
  },
  parlance_job_duration_seconds: {
    kind: 'histogram',
    help: 'Time that runs of jobs take, however they end.',
    labels: { kind: KIND },
    buckets: WORK,
  },
  parlance_database_connections: {
    kind: 'gauge',
    help: 'Connections to the database.',
    labels: { pool: POOL },
  },
  parlance_database_connections_idle: {
    kind: 'gauge',
    help: 'Connections to the database that nothing uses just now.',
    labels: { pool: POOL },
  },
  parlance_database_waiting: {
    kind: 'gauge',
    help: 'Queries that wait for a connection; on the embedded database those that are not answered yet.',
    labels: { pool: POOL },
  },
  parlance_database_query_duration_seconds: {
    kind: 'histogram',
    help: 'Time until the database answers a query, once it has a connection.',
    labels: {},
    buckets: QUICK,
  },
  parlance_database_query_failures_total: {
    kind: 'counter',
    help: 'Queries that failed. away: the database did not answer, or could not; conflict: with another transaction.',
    labels: { cause: ['away', 'conflict', 'refused'] },
  },
  parlance_storage_call_duration_seconds: {
    kind: 'histogram',
    help: 'Time that calls of the storage of recordings take; put takes as long as an upload does.',
    labels: { call: 'put, open, exists, check, remove, checkout, sweep, readNote, writeNote' },
    buckets: [...QUICK, 60],
  },
  parlance_storage_failures_total: {
    kind: 'counter',
    help: 'Calls of the storage of recordings that failed.',
    labels: {
      call: 'put, open, exists, check, remove, checkout, sweep, readNote, writeNote',
      cause: ['storage_full', 'not_found', 'wrong_size', 'unavailable', 'other'],
    },
  },
  parlance_mails_waiting: {
    kind: 'gauge',
    help: 'Mails that the mail server has not taken yet.',
    labels: {},
    shared: true,
  },
  parlance_mails_oldest_waiting_seconds: {
    kind: 'gauge',
    help: 'Age of the mail that waits longest; 0 where none waits.',
    labels: {},
    shared: true,
  },
  parlance_mails_total: {
    kind: 'counter',
    help: 'Tries to hand a mail over. failed: tried again later; refused, expired, given_up: dropped.',
    labels: { outcome: ['sent', 'failed', 'refused', 'expired', 'given_up'] },
  },
  parlance_payment_events_total: {
    kind: 'counter',
    help: 'What became of payments: events of the payment provider, each once, and its answers to charges (charge_…).',
    labels: {
      event: [
        'accepted',
        'paid',
        'failed',
        'refused',
        'canceled',
        'stored',
        'refunded',
        'refund_failed',
        'disputed',
        'dispute_won',
        'dispute_opened',
        'dispute_dropped',
        'other_currency',
        'charge_sent',
        'charge_declined',
        'charge_refused',
        'charge_never_made',
        'expired',
      ],
    },
  },
  parlance_payment_webhooks_refused_total: {
    kind: 'counter',
    help: 'Webhooks of the payment provider that were refused, such as for a wrong signature.',
    labels: { error: 'type of the error' },
  },
  parlance_payment_provider_failures_total: {
    kind: 'counter',
    help: 'Calls of the payment provider that failed.',
    labels: { call: 'name of the call' },
  },
  parlance_payment_refused_charges: {
    kind: 'gauge',
    help: 'Charges that the payment provider does not take, for a reason that is not the card’s: npm run admin -- books check lists them.',
    labels: {},
  },
  parlance_payment_refused_events: {
    kind: 'gauge',
    help: 'Events of money that no balance has: npm run admin -- books check lists them.',
    labels: {},
    shared: true,
  },
  parlance_scrape_failures_total: {
    kind: 'counter',
    help: 'Parts that did not tell their values in time as metrics were asked for; the answer was without them.',
    labels: { part: ['database', 'readiness', 'process'] },
  },
} as const satisfies Readonly<Record<string, Metric>>;

type Metrics = typeof METRICS;
type NameOfKind<Kind extends Metric['kind']> = {
  [Name in keyof Metrics]: Metrics[Name]['kind'] extends Kind ? Name : never;
}[keyof Metrics];
export type CounterName = NameOfKind<'counter'>;
export type GaugeName = NameOfKind<'gauge'>;
export type HistogramName = NameOfKind<'histogram'>;
type MetricName = keyof Metrics;

/** The labels of a metric, with their types. */
export type LabelsOf<Name extends MetricName> = {
  -readonly [
    Label in keyof Metrics[Name]['labels']
  ]: Metrics[Name]['labels'][Label] extends readonly (infer Value extends string)[] ? Value : string;
};
/** A part that reports gauges at each scrape. */
export type ScrapedPart = LabelsOf<'parlance_scrape_failures_total'>['part'];
