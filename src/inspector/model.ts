/** The state of the inspector page, as pure functions of messages and of what the user does. */
import type { Plain } from '../effects/inspect/redact.ts';
import {
  consoleOf,
  type ActorMessage,
  type ConnectionMessage,
  type EventMessage,
  type InspectionMessage,
  sequenceOf,
  type SnapshotMessage,
  type SnapshotRecord,
} from './protocol.ts';

const EVENTS_KEPT_MAX = 2000;
const ACTORS_KEPT_MAX = 500;
const WAITING_MAX = 10_000;
/** How many rows of the log the page shows. */
export const ROWS_MAX = 300;

type Disconnected = Extract<ConnectionMessage, { rootId: string }>;
export type Message = InspectionMessage | Disconnected;

export type Actor = {
  /** Unique across all open consoles. */
  id: string;
  parentId: string | null;
  name: string;
  snapshot: SnapshotRecord;
};

/** An event that an actor received, or a new state that it entered. */
export type LogRow = {
  id: string;
  at: Date;
  kind: 'event' | 'state';
  actorId: string;
  sourceId: string | null;
  /** The event's type, or the state in one line. */
  title: string;
  /** The whole event; of a state, the event that led to it. */
  event: Plain;
};

export type Model = {
  readonly actors: ReadonlyMap<string, Actor>;
  /** Oldest first. */
  readonly rows: readonly LogRow[];
  /** Per console, the number of its last event or snapshot: smaller numbers are repeats that another page asked for. */
  readonly seen: ReadonlyMap<string, number>;
  /** Per actor, the last state in the log. */
  readonly lastStates: ReadonlyMap<string, string>;
  /** Messages that arrived while paused. */
  readonly waiting: readonly Message[];
  readonly isPaused: boolean;
  /** The actor whose state is shown. */
  readonly selectedId: string | null;
  readonly areEndedShown: boolean;
  /** Whether the log shows the events of XState itself. */
  readonly areInternalsShown: boolean;
  readonly filter: Filter;
};

/** Which rows to show: those of one actor, and those with a text (`text`, in any case) or without it (`-text`). */
export type Filter = { readonly actorId: string | null; readonly text: string };

export const EMPTY: Model = {
  actors: new Map(),
  rows: [],
  seen: new Map(),
  lastStates: new Map(),
  waiting: [],
  isPaused: false,
  selectedId: null,
  areEndedShown: false,
  areInternalsShown: false,
  filter: { actorId: null, text: '' },
};

/** Applies a message; while paused, queues it. */
export function receive(model: Model, message: Message): Model {
  return model.isPaused
    ? { ...model, waiting: [...model.waiting, message].slice(-WAITING_MAX) }
    : apply(model, message);
}

function apply(model: Model, message: Message): Model {
  if (message.type === '@statelyai.disconnected') return withoutConsole(model, consoleOf(message.rootId));
  // A repeated actor message has its old number but the current snapshot. Snapshot messages update known actors.
  if (message.type === '@xstate.actor') return model.actors.has(message.sessionId) ? model : addActor(model, message);
  const consoleId = consoleOf(message.id);
  const sequence = sequenceOf(message.id);
  // Until the console's root is known, skip: the console repeats this message, after the older ones.
  if (sequence <= (model.seen.get(consoleId) ?? Infinity)) return model;
  const next = { ...model, seen: new Map(model.seen).set(consoleId, sequence) };
  return message.type === '@xstate.event' ? addRow(next, eventRow(message)) : takeSnapshot(next, message);
}

function addActor(model: Model, { sessionId, parentId, name, snapshot }: ActorMessage): Model {
  const actors = new Map(model.actors).set(sessionId, { id: sessionId, parentId: parentId ?? null, name, snapshot });
  if (actors.size > ACTORS_KEPT_MAX) {
    const ended = [...actors.values()].find((actor) => isEnded(actor));
    if (ended) actors.delete(ended.id);
  }
  const consoleId = consoleOf(sessionId);
  const begins = parentId === undefined && !model.seen.has(consoleId);
  return { ...model, actors, seen: begins ? new Map(model.seen).set(consoleId, 0) : model.seen };
}

function takeSnapshot(model: Model, message: SnapshotMessage): Model {
  const { sessionId, snapshot } = message;
  const known = model.actors.get(sessionId);
  const next = known ? { ...model, actors: new Map(model.actors).set(sessionId, { ...known, snapshot }) } : model;
  const state = stateText(snapshot.value);
  if (state === '' || state === model.lastStates.get(sessionId)) return next;
  return addRow({ ...next, lastStates: new Map(model.lastStates).set(sessionId, state) }, stateRow(message, state));
}

const addRow = (model: Model, row: LogRow): Model => ({ ...model, rows: [...model.rows, row].slice(-EVENTS_KEPT_MAX) });

const eventRow = ({ id, createdAt, sessionId, sourceId, event }: EventMessage): LogRow => ({
  id,
  at: new Date(Number(createdAt)),
  kind: 'event',
  actorId: sessionId,
  sourceId: sourceId ?? null,
  title: event.type,
  event,
});

const stateRow = ({ id, createdAt, sessionId, event }: SnapshotMessage, state: string): LogRow => ({
  id,
  at: new Date(Number(createdAt)),
  kind: 'state',
  actorId: sessionId,
  sourceId: null,
  title: state,
  event,
});

function withoutConsole(model: Model, consoleId: string): Model {
  const isOther = (id: string) => consoleOf(id) !== consoleId;
  const kept = (id: string | null) => (id !== null && isOther(id) ? id : null);
  return {
    ...model,
    actors: new Map([...model.actors].filter(([id]) => isOther(id))),
    lastStates: new Map([...model.lastStates].filter(([id]) => isOther(id))),
    selectedId: kept(model.selectedId),
    filter: { ...model.filter, actorId: kept(model.filter.actorId) },
  };
}

export const pause = (model: Model): Model => ({ ...model, isPaused: true });
export const resume = (model: Model): Model => model.waiting.reduce(apply, { ...model, isPaused: false, waiting: [] });
/** Empties the log. */
export const clear = (model: Model): Model => ({ ...model, rows: [] });
export const select = (model: Model, id: string): Model => ({ ...model, selectedId: id });
export const showEnded = (model: Model, areEndedShown: boolean): Model => ({ ...model, areEndedShown });
export const filterBy = (model: Model, filter: Partial<Filter>): Model => ({
  ...model,
  filter: { ...model.filter, ...filter },
});

export const showInternals = (model: Model, areInternalsShown: boolean): Model => ({ ...model, areInternalsShown });

const isEnded = ({ snapshot }: Actor) => snapshot.status === 'done' || snapshot.status === 'stopped';

export type Branch = { actor: Actor; children: Branch[] };

/**
 * The actors as trees. An actor with an unknown parent is a root. Keeps failed actors. Leaves out ended ones without
 * children, unless the user asks for them or has selected them.
 */
export function actorTrees({ actors, areEndedShown, selectedId }: Model): Branch[] {
  const below = new Map<string | null, Actor[]>();
  for (const actor of actors.values()) {
    const parent = actor.parentId !== null && actors.has(actor.parentId) ? actor.parentId : null;
    below.set(parent, [...(below.get(parent) ?? []), actor]);
  }
  const branches = (parent: string | null): Branch[] =>
    (below.get(parent) ?? [])
      .map((actor) => ({ actor, children: branches(actor.id) }))
      .filter(
        ({ actor, children }) => areEndedShown || children.length > 0 || actor.id === selectedId || !isEnded(actor),
      );
  return branches(null);
}

/** Whether a row is an event of XState itself, other than a failure: `xstate.init`, `xstate.done.actor.…`. */
const isInternal = ({ kind, title }: LogRow): boolean =>
  kind === 'event' && title.startsWith('xstate.') && !title.startsWith('xstate.error.');

/** The log's rows that the filter lets through, newest first. */
export function shownRows({ rows, filter, actors, areInternalsShown }: Model): LogRow[] {
  const typed = filter.text.trim().toLowerCase();
  const isExcluded = typed.startsWith('-');
  const text = isExcluded ? typed.slice(1) : typed;
  const has = (row: LogRow) =>
    [row.title, nameOf(actors, row.actorId), nameOf(actors, row.sourceId), JSON.stringify(row.event)].some((part) =>
      part.toLowerCase().includes(text),
    );
  return rows
    .filter(
      (row) =>
        (areInternalsShown || !isInternal(row)) &&
        (filter.actorId === null || row.actorId === filter.actorId || row.sourceId === filter.actorId) &&
        (text === '' || has(row) !== isExcluded),
    )
    .toReversed();
}

/** An actor's name; for an unknown actor, its id within its console. */
export const nameOf = (actors: Model['actors'], id: string | null): string =>
  id === null ? '' : (actors.get(id)?.name ?? id.slice(id.indexOf('/') + 1));

/** A state value in one line: `signedIn.fresh`, parallel regions separated by `|`. */
export function stateText(value: Plain | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, inner]) => {
      const text = stateText(inner);
      if (!text) return key;
      return text.includes(' | ') ? `${key}.(${text})` : `${key}.${text}`;
    })
    .join(' | ');
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** How long after another moment something was: '+12 ms', '+1.20 s', '+3 min'. */
export function differenceText(at: Date, before: Date): string {
  const ms = Math.max(0, at.getTime() - before.getTime());
  if (ms < SECOND_MS) return `+${ms} ms`;
  return ms < MINUTE_MS ? `+${(ms / SECOND_MS).toFixed(2)} s` : `+${Math.floor(ms / MINUTE_MS)} min`;
}
