/** Inspection of the console: sends the messages of @statelyai/inspect to an inspector. */
import { createInspector } from '@statelyai/inspect';
import type { InspectionEvent } from 'xstate';
import { INSPECTOR_CHANNEL, INSPECTOR_PATH } from '../../inspector/protocol.ts';
import { sendToHosted } from './inspectHosted.ts';
import { sendToLocal } from './inspectLocal.ts';
import type { InspectorPort } from './port.ts';
import { toMessage, toSnapshot } from './inspectMessage.ts';

export type Inspection = {
  /** The `inspect` option for `createActor`. */
  observe: (event: InspectionEvent) => void;
  stop: () => void;
};

/**
 * Starts the inspection that `?inspect` asks for: with the console's own inspector, or with `?inspect=stately` the one
 * hosted by Stately. Undefined without `?inspect`.
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
  // A separate window leaves the console visible, so that it has idle time. If blocked, the user opens the page.
  window.open(INSPECTOR_PATH, 'parlance-inspector', 'popup,width=1200,height=800');
  return port;
}

/** Sends the events of a console's actors to an inspector. */
export function inspectInto(port: InspectorPort): Inspection {
  const inspector = createInspector({ send: (event) => port.send(toMessage(event)), stop: port.stop });
  return {
    observe: (event) => inspector.inspect.next?.(describable(event)),
    stop: inspector.stop,
  };
}

/** Describes errors, files and buffers in a snapshot before the library turns it into JSON, which would lose them. */
function describable(event: InspectionEvent): InspectionEvent {
  if (event.type !== '@xstate.snapshot') return event;
  const { snapshot } = event;
  return { ...event, snapshot: Object.assign({ ...snapshot }, { toJSON: () => toSnapshot(snapshot) }) };
}
