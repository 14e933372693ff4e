/**
 * Messages to an inspector: those of @statelyai/inspect (`@xstate.actor`, `@xstate.snapshot`, `@xstate.event`), without
 * secrets, and two about the connection. Pages of one origin exchange them over a BroadcastChannel.
 */
import type { Plain } from '../effects/inspect/redact.ts';

export const INSPECTOR_CHANNEL = 'parlance-inspector';
/** The inspector page's path. */
export const INSPECTOR_PATH = '/inspector';
/** An inspector sends this when it is ready; consoles then send everything so far. */
export const CONNECTED = '@statelyai.connected';
/** A console sends this when it closes. */
export const DISCONNECTED = '@statelyai.disconnected';

/** An actor's snapshot, without the fields that the actor does not have. */
export type SnapshotRecord = {
  status: string;
  /** The state of a chart. */
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
  /** `console/number`, counting up within one console; empty until the message is sent to a channel. */
  id: string;
  _version: string;
};

/** An actor was created. `definition` is its chart as JSON, without data. */
export type ActorMessage = Base & {
  type: '@xstate.actor';
  name: string;
  parentId: string | undefined;
  definition: string | undefined;
  snapshot: SnapshotRecord;
};
/** An actor processed an event and has a new snapshot. */
export type SnapshotMessage = Base & { type: '@xstate.snapshot'; snapshot: SnapshotRecord; event: EventShown };
/** An actor received an event. */
export type EventMessage = Base & { type: '@xstate.event'; event: EventShown; sourceId: string | undefined };

export type EventShown = { type: string; [field: string]: Plain };
export type InspectionMessage = ActorMessage | SnapshotMessage | EventMessage;
/** `rootId` names the console. The library's own message has none, because its windows serve one page each. */
export type ConnectionMessage = { type: typeof CONNECTED } | { type: typeof DISCONNECTED; rootId: string };

/** The part of a BroadcastChannel that both sides use. */
export type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>;

/** The console of an actor's session id or of a message id. */
export const consoleOf = (id: string): string => id.slice(0, id.indexOf('/'));
export const sequenceOf = (id: string): number => Number(id.slice(id.indexOf('/') + 1));

const has = (value: unknown, ...keys: string[]): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && keys.every((key) => typeof Reflect.get(value, key) === 'string');

export const isConnectedMessage = (value: unknown): value is { type: typeof CONNECTED } =>
  has(value, 'type') && value['type'] === CONNECTED;
export const isDisconnectedMessage = (value: unknown): value is { type: typeof DISCONNECTED; rootId: string } =>
  has(value, 'type', 'rootId') && value['type'] === DISCONNECTED;

/** Checks only the fields that tell messages apart: nobody but pages of this origin writes to the channel. */
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
