/** What consoles and inspector pages of one origin tell each other. Everything in it is redacted before it is sent. */
import type { Plain } from '../effects/redact.ts';

export const INSPECTOR_CHANNEL = 'parlance-inspector';
/** Where the inspector page is served. */
export const INSPECTOR_PATH = '/inspector';
/** How many of the last events a console repeats to a page that is opened late. */
export const EVENTS_KEPT = 500;

export type ActorRecord = {
  /** Unique over all consoles that are open. */
  id: string;
  parentId: string | null;
  name: string;
  /** `active`, `done`, `error`, `stopped`. */
  status: string;
  /** The state of a machine; null for other actors. */
  value: Plain;
  tags: string[];
  /** Context, or what the actor has instead: input, output, error. */
  data: Plain;
};

export type EventRecord = {
  /** Counts up within one console. */
  sequence: number;
  consoleId: string;
  /** Milliseconds since the epoch. */
  at: number;
  actorId: string;
  sourceId: string | null;
  type: string;
  event: Plain;
};

export type InspectorMessage =
  | { type: 'inspector.opened' }
  | { type: 'console.replayed'; consoleId: string; actors: ActorRecord[]; events: EventRecord[] }
  | { type: 'console.ended'; consoleId: string }
  | { type: 'actor.changed'; actor: ActorRecord }
  | { type: 'event.received'; event: EventRecord };

/** The part of a BroadcastChannel that both sides use. */
export type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>;

const TYPES: ReadonlySet<unknown> = new Set<InspectorMessage['type']>([
  'inspector.opened',
  'console.replayed',
  'console.ended',
  'actor.changed',
  'event.received',
]);

/** Only pages of this origin write to the channel, so the type tells the rest. */
export const isInspectorMessage = (value: unknown): value is InspectorMessage =>
  typeof value === 'object' && value !== null && 'type' in value && TYPES.has(value.type);
