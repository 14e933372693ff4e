/**
 * What an inspector is told: the messages of @statelyai/inspect (`@xstate.actor`, `@xstate.snapshot`, `@xstate.event`) without
 * secrets, and its two words on the connection. Between pages of one origin they travel over a BroadcastChannel.
 */
import type { Plain } from '../effects/inspect/redact.ts';

export const INSPECTOR_CHANNEL = 'parlance-inspector';
/** Where the inspector page is served. */
export const INSPECTOR_PATH = '/inspector';
/** Sent by an inspector that is ready, to be told everything so far. */
export const CONNECTED = '@statelyai.connected';
/** Sent by a console that goes away. */
export const DISCONNECTED = '@statelyai.disconnected';

/** The telling part of an actor's snapshot; what an actor does not have is left out. */
export type SnapshotRecord = {
  status: string;
  /** The state of a machine. */
  value?: Plain;
  tags?: string[];
  context?: Plain;
  input?: Plain;
  output?: Plain;
  error?: Plain;
};

type Base = {
  sessionId: string;
  rootId: string | undefined;
  /** Milliseconds since the epoch, as text. */
  createdAt: string;
  /** `console/number`, counting up within one console; empty until it is sent to a channel. */
  id: string;
  _version: string;
};

/** An actor was made. `definition` is the chart as JSON: code, without what it holds. */
export type ActorMessage = Base & {
  type: '@xstate.actor';
  name: string;
  parentId: string | undefined;
  definition: string | undefined;
  snapshot: SnapshotRecord;
};
/** An actor came to a snapshot by an event. */
export type SnapshotMessage = Base & { type: '@xstate.snapshot'; snapshot: SnapshotRecord; event: EventShown };
/** An actor was sent an event. */
export type EventMessage = Base & { type: '@xstate.event'; event: EventShown; sourceId: string | undefined };

export type EventShown = { type: string; [field: string]: Plain };
export type InspectionMessage = ActorMessage | SnapshotMessage | EventMessage;
/** `rootId` tells which console: the library's word has none, because there one window serves one page. */
export type ConnectionMessage = { type: typeof CONNECTED } | { type: typeof DISCONNECTED; rootId: string };

/** The part of a BroadcastChannel that both sides use. */
export type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>;

/** Of the session id of an actor, or the id of a message: which console it is of. */
export const consoleOf = (id: string): string => id.slice(0, id.indexOf('/'));
export const sequenceOf = (id: string): number => Number(id.slice(id.indexOf('/') + 1));

const has = (value: unknown, ...keys: string[]): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && keys.every((key) => typeof Reflect.get(value, key) === 'string');

export const isConnectedMessage = (value: unknown): value is { type: typeof CONNECTED } =>
  has(value, 'type') && value['type'] === CONNECTED;
export const isDisconnectedMessage = (value: unknown): value is { type: typeof DISCONNECTED; rootId: string } =>
  has(value, 'type', 'rootId') && value['type'] === DISCONNECTED;

/** Only pages of this origin write to the channel; what tells one message from another is checked, the rest follows from it. */
export function isInspectionMessage(value: unknown): value is InspectionMessage {
  if (!has(value, 'type', 'sessionId', 'createdAt', 'id', '_version')) return false;
  switch (value['type']) {
    case '@xstate.actor':
      return has(value, 'name') && has(value['snapshot'], 'status');
    case '@xstate.snapshot':
      return has(value['snapshot'], 'status') && has(value['event'], 'type');
    case '@xstate.event':
      return has(value['event'], 'type');
    default:
      return false;
  }
}
