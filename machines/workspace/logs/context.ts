// What the chart of the logs holds.
import type { LogChoices, LogEntry, LogPage } from '#contract/logs.ts';
import type { Failure } from '../../shared/failure.ts';
import type { LogsView } from '../../shared/route.ts';
import type { LogFilter } from './filter.ts';

/** UTC times; null for an open side. */
export type Times = { from: string | null; to: string | null };

export type LogsInput = {
  orgUuid: string;
  projectUuid: string;
  /** From the address. */
  view: LogsView;
};

/** New rows to announce: a further page, or new requests. */
type Arrival = { what: 'further' | 'new'; count: number };

export type LogsContext = LogsInput & {
  /** Whether the address asked for filters that do not exist. They have been left out of it. */
  isBad: boolean;
  /** The latest query, with the start of its period fixed. */
  filter: LogFilter | null;
  rows: readonly LogEntry[];
  /** Where the next page starts; null after the last. */
  nextCursor: string | null;
  /** Stay while others load. */
  choices: LogChoices | null;
  failure: Failure | null;
  /** Times that are typed but not applied. */
  typed: Times | null;
  /** A client reference ID that is typed but not applied. */
  typedReference: string | null;
  /** What is wrong with the chosen times. */
  problem: string | null;
  /** Whether live updates are on. */
  isLive: boolean;
  /** Requests were added since the first page was read. */
  isStale: boolean;
  /** The top of the list is in view, so that new rows may be inserted. */
  isAtTop: boolean;
  /** The newest first page, held back while the person reads further down. */
  fresh: LogPage | null;
  arrival: Arrival | null;
  /** The row to focus; null once the view has focused it. */
  focusId: string | null;
};
