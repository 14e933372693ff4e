/** What the inspector page knows and shows, as a pure function of the messages and of what its user does. */
import type { ActorRecord, EventRecord, InspectorMessage } from './protocol.ts';

const EVENTS_SHOWN_MAX = 2000;
const HELD_MAX = 10_000;

export type Model = {
  readonly actors: ReadonlyMap<string, ActorRecord>;
  /** Oldest first. */
  readonly events: readonly EventRecord[];
  /** Messages that arrived while paused. */
  readonly held: readonly InspectorMessage[];
  readonly isPaused: boolean;
  /** The actor whose state shows, and whose events alone are listed. */
  readonly selectedId: string | null;
};

export const EMPTY: Model = { actors: new Map(), events: [], held: [], isPaused: false, selectedId: null };

const consoleOf = (actorId: string) => actorId.slice(0, actorId.indexOf('/'));

/** The model after a message; while paused it is only held. */
export function receive(model: Model, message: InspectorMessage): Model {
  return model.isPaused ? { ...model, held: [...model.held, message].slice(-HELD_MAX) } : apply(model, message);
}

function apply(model: Model, message: InspectorMessage): Model {
  switch (message.type) {
    case 'inspector.opened':
      return model;
    case 'actor.changed':
      return { ...model, actors: new Map(model.actors).set(message.actor.id, message.actor) };
    case 'event.received':
      return { ...model, events: [...model.events, message.event].slice(-EVENTS_SHOWN_MAX) };
    case 'console.replayed': {
      // Another inspector page may have asked for it: what this page already shows is replaced, not doubled.
      const { actors, events } = withoutConsole(model, message.consoleId);
      const added = message.actors.map((actor) => [actor.id, actor] as const);
      return { ...model, actors: new Map([...actors, ...added]), events: [...events, ...message.events].toSorted((a, b) => a.at - b.at) };
    }
    case 'console.ended': {
      const rest = withoutConsole(model, message.consoleId);
      const isGone = model.selectedId !== null && consoleOf(model.selectedId) === message.consoleId;
      return { ...model, actors: rest.actors, selectedId: isGone ? null : model.selectedId };
    }
  }
}

function withoutConsole(model: Model, consoleId: string): Pick<Model, 'actors' | 'events'> {
  return {
    actors: new Map([...model.actors].filter(([id]) => consoleOf(id) !== consoleId)),
    events: model.events.filter((event) => event.consoleId !== consoleId),
  };
}

export const pause = (model: Model): Model => ({ ...model, isPaused: true });
export const resume = (model: Model): Model => model.held.reduce(apply, { ...model, isPaused: false, held: [] });
/** Empties the log and forgets actors that have come to an end. */
export const clear = (model: Model): Model => ({
  ...model,
  events: [],
  held: [],
  actors: new Map([...model.actors].filter(([, { status }]) => status === 'active')),
});
export const select = (model: Model, id: string | null): Model => ({ ...model, selectedId: id });

export type TreeRow = { actor: ActorRecord; depth: number };

/** The actors as rows of a tree, children below their parent; an actor whose parent is unknown is a root. */
export function treeRows({ actors }: Model): TreeRow[] {
  const children = new Map<string | null, ActorRecord[]>();
  for (const actor of actors.values()) {
    const parent = actor.parentId !== null && actors.has(actor.parentId) ? actor.parentId : null;
    children.set(parent, [...(children.get(parent) ?? []), actor]);
  }
  const rowsBelow = (parent: string | null, depth: number): TreeRow[] =>
    (children.get(parent) ?? []).flatMap((actor) => [{ actor, depth }, ...rowsBelow(actor.id, depth + 1)]);
  return rowsBelow(null, 0);
}

/** The log's rows, newest first: all events, or those that the selected actor got or sent. */
export const shownEvents = ({ events, selectedId }: Model): EventRecord[] =>
  events.filter(({ actorId, sourceId }) => selectedId === null || actorId === selectedId || sourceId === selectedId).toReversed();

/** A state value in one line: `signedIn.fresh`, regions side by side. */
export function stateText(value: ActorRecord['value']): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, inner]) => {
      const text = stateText(inner);
      return text ? `${key}.${text}` : key;
    })
    .join(' | ');
}
