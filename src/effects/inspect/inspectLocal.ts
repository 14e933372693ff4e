import {
  type Channel,
  DISCONNECTED,
  isConnectedMessage,
  type ActorMessage,
  type ConnectionMessage,
  type InspectionMessage,
  type SnapshotRecord,
} from '../../inspector/protocol.ts';
import type { InspectorPort } from './port.ts';

/** The largest number of events and snapshots repeated to an inspector page that opens later. */
export const HISTORY_MAX = 1000;
/** The largest number of actors repeated; ended ones are forgotten first. */
const ACTORS_MAX = 500;

/**
 * The inspector pages of this origin. Makes ids unique among all open consoles, and repeats the known messages to each
 * page that connects: the actors as they are, then the last events and snapshots in order.
 * @param consoleId without a slash
 */
export function sendToLocal(channel: Channel, consoleId: string): InspectorPort {
  const actors = new Map<string, ActorMessage>();
  let history: InspectionMessage[] = [];
  let sequence = 0;
  let isStopped = false;
  let sendRest: (() => void) | undefined;
  const post = (message: InspectionMessage | ConnectionMessage) => channel.postMessage(message);
  const scoped = (id: string) => `${consoleId}/${id}`;

  const replay = () => [...actors.values(), ...history].forEach(post);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isConnectedMessage(data)) return;
    sendRest?.();
    replay();
  });

  function keepActor(actor: ActorMessage) {
    actors.set(actor.sessionId, actor);
    if (actors.size <= ACTORS_MAX) return;
    for (const [id, { snapshot }] of actors) {
      if (snapshot.status === 'active') continue;
      actors.delete(id);
      return;
    }
  }

  function keepSnapshot(sessionId: string, snapshot: SnapshotRecord) {
    const actor = actors.get(sessionId);
    if (actor) actors.set(sessionId, { ...actor, snapshot });
  }

  return {
    onAsked: (send) => {
      sendRest = send;
    },
    send: (message) => {
      // Events are sent in idle time, perhaps after the stop.
      if (isStopped) return;
      sequence += 1;
      const own = scopeMessage(message, scoped, scoped(String(sequence)));
      if (own.type === '@xstate.actor') keepActor(own);
      else history = [...history.slice(1 - HISTORY_MAX), own];
      if (own.type === '@xstate.snapshot') keepSnapshot(own.sessionId, own.snapshot);
      post(own);
    },
    stop: () => {
      isStopped = true;
      post({ type: DISCONNECTED, rootId: scoped('') });
      channel.close();
    },
  };
}

/** The message with ids that contain the console's. */
function scopeMessage(message: InspectionMessage, scoped: (id: string) => string, id: string): InspectionMessage {
  const optional = (known: string | undefined) => (known === undefined ? undefined : scoped(known));
  const own = { id, sessionId: scoped(message.sessionId), rootId: optional(message.rootId) };
  switch (message.type) {
    case '@xstate.actor':
      return { ...message, ...own, parentId: optional(message.parentId) };
    case '@xstate.event':
      return { ...message, ...own, sourceId: optional(message.sourceId) };
    case '@xstate.snapshot':
      return { ...message, ...own };
  }
}
