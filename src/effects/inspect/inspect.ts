/** The inspection of the console: one source of messages, made by @statelyai/inspect, and the inspector that they are sent to. */
import { createInspector } from '@statelyai/inspect';
import type { InspectionEvent } from 'xstate';
import { INSPECTOR_CHANNEL, INSPECTOR_PATH } from '../../inspector/protocol.ts';
import { sendToHosted } from './inspectHosted.ts';
import { sendToLocal } from './inspectLocal.ts';
import type { InspectorPort } from './port.ts';
import { toMessage, toSnapshot } from './inspectMessage.ts';

export type Inspection = {
  /** To be handed to `createActor` as `inspect`. */
  observe: (event: InspectionEvent) => void;
  stop: () => void;
};

/**
 * What the page's `?inspect` asks for: the console's own inspector page, or with `?inspect=stately` the one hosted by Stately.
 * Undefined without it.
 */
export function startInspection(pageUrl: URL): Inspection | undefined {
  const wish = pageUrl.searchParams.get('inspect');
  if (wish === null) return undefined;
  const inspection = inspectInto(wish === 'stately' ? sendToHosted(window) : openLocal());
  window.addEventListener('pagehide', inspection.stop, { once: true });
  return inspection;
}

function openLocal(): InspectorPort {
  const port = sendToLocal(new BroadcastChannel(INSPECTOR_CHANNEL), crypto.randomUUID());
  // A window of its own keeps the console's visible, and so its idle time. Where the browser blocks it, the user opens the page; it catches up.
  window.open(INSPECTOR_PATH, 'parlance-inspector', 'popup,width=1200,height=800');
  return port;
}

/** Sends what happens among the actors of one console to an inspector. */
export function inspectInto(port: InspectorPort): Inspection {
  const inspector = createInspector({ send: (event) => port.send(toMessage(event)), stop: port.stop });
  return {
    observe: (event) => inspector.inspect.next?.(describable(event)),
    stop: inspector.stop,
  };
}

/** The library turns snapshots into JSON before it hands them on, where errors, files and buffers would be lost; so they are described first. */
function describable(event: InspectionEvent): InspectionEvent {
  if (event.type !== '@xstate.snapshot') return event;
  const { snapshot } = event;
  return { ...event, snapshot: Object.assign({ ...snapshot }, { toJSON: () => toSnapshot(snapshot) }) };
}
