/** Inspection of the console: sends the messages of @statelyai/inspect to an inspector. */
import { createInspector } from '@statelyai/inspect';
import type { InspectionEvent } from 'xstate';
import { INSPECTOR_CHANNEL, INSPECTOR_PATH } from '../../inspector/protocol.ts';
import { sendToHosted } from './inspectHosted.ts';
import { sendToLocal } from './inspectLocal.ts';
import type { InspectorPort } from './port.ts';
import type { InspectionWish } from './wish.ts';
import { toMessage } from './inspectMessage.ts';

export type Inspection = {
  /** The `inspect` option for `createActor`. */
  observe: (event: InspectionEvent) => void;
  stop: () => void;
};

/**
 * Starts the inspection that was asked for: with the console's own inspector, or with the one hosted by Stately. A
 * remembered wish opens no window: pages of the inspector that are open ask for what they show.
 */
export function startInspection({ where, isRemembered }: InspectionWish): Inspection {
  const inspection = inspectInto(where === 'stately' ? sendToHosted(window) : connectLocal());
  // A separate window leaves the console in sight. If blocked, the user opens the page.
  if (where === 'local' && !isRemembered)
    window.open(INSPECTOR_PATH, 'parlance-inspector', 'popup,width=1200,height=800');
  window.addEventListener('pagehide', inspection.stop, { once: true });
  return inspection;
}

const connectLocal = (): InspectorPort => sendToLocal(new BroadcastChannel(INSPECTOR_CHANNEL), crypto.randomUUID());

/** The longest time that an event waits for an idle moment; a hidden page has none. */
const WAIT_MAX_MS = 500;

const whenIdle = (run: () => void): void => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: WAIT_MAX_MS });
  else setTimeout(run);
};

/**
 * Sends the events of a console's actors to an inspector: in idle moments, or at once when an inspector asks. The
 * library's own observer would wait for an idle moment without end, and date an event by it.
 */
export function inspectInto(port: InspectorPort): Inspection {
  let waiting: { event: InspectionEvent; at: string }[] = [];
  let current: { rootId: string; createdAt: string; name?: string };
  const inspector = createInspector({
    send: (message) => port.send({ ...toMessage(message), ...current }),
    stop: port.stop,
  });

  function sendNow(event: InspectionEvent) {
    const { actorRef } = event;
    if (event.type === '@xstate.actor') inspector.actor(actorRef, actorRef.getSnapshot());
    else if (event.type === '@xstate.event')
      inspector.event(actorRef, event.event, event.sourceRef ? { source: event.sourceRef } : {});
    else if (event.type === '@xstate.snapshot') inspector.snapshot(actorRef, event.snapshot, { event: event.event });
  }

  const flush = () => {
    const due = waiting;
    waiting = [];
    for (const { event, at } of due) {
      const { actorRef, rootId, type } = event;
      current = { rootId, createdAt: at, ...(type === '@xstate.actor' ? { name: nameOf(actorRef) } : {}) };
      try {
        sendNow(event);
      } catch (error) {
        // The rest of the batch is told.
        reportError(error);
      }
    }
  };
  port.onAsked?.(flush);
  return {
    observe: (event) => {
      if (!SHOWN.has(event.type)) return;
      if (waiting.length === 0) whenIdle(flush);
      waiting.push({ event, at: String(Date.now()) });
    },
    stop: inspector.stop,
  };
}

/** Others tell of steps within these. */
const SHOWN: ReadonlySet<string> = new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);

/** The id that an actor's parent gave it; else that of its chart. */
function nameOf(actorRef: InspectionEvent['actorRef']): string {
  const { sessionId } = actorRef;
  const [id, chart] = [textAt(actorRef, 'id'), textAt(actorRef, 'logic', 'config', 'id')];
  return (id === sessionId ? chart : id) ?? sessionId;
}

function textAt(value: unknown, ...path: string[]): string | undefined {
  let found = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return typeof found === 'string' ? found : undefined;
}
