import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import type { Inspection } from './inspect.ts';
import { redact } from './redact.ts';

const ORIGIN = 'https://stately.ai';
const DEFERRED_MAX = 200;

/**
 * The inspector hosted by Stately, in a window of its own. Messages go to that origin only: the library's own adapter
 * would hand them to whatever the window shows.
 */
export function startHostedInspection(): Inspection {
  const target = window.open(`${ORIGIN}/inspect`, '_blank');
  let isConnected = false;
  let deferred: unknown[] = [];
  const post = (message: unknown) => target?.postMessage(message, ORIGIN);
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin !== ORIGIN || source !== target || typeof data !== 'object' || data === null) return;
    if (!('type' in data) || data.type !== '@statelyai.connected') return;
    isConnected = true;
    deferred.forEach(post);
    deferred = [];
  };
  window.addEventListener('message', onMessage);
  const inspector = createInspector({
    send: (event) => {
      const message = redactInspection(event);
      if (isConnected) post(message);
      else deferred = [...deferred.slice(1 - DEFERRED_MAX), message];
    },
  });
  return {
    observe: (event) => inspector.inspect.next?.(event),
    stop: () => window.removeEventListener('message', onMessage),
  };
}

/** An event of the inspector's protocol without secrets: everything that charts hold or are told is redacted. */
export function redactInspection(event: StatelyInspectionEvent): unknown {
  return {
    ...event,
    ...('event' in event ? { event: redact(event.event) } : {}),
    ...('snapshot' in event ? { snapshot: redact(event.snapshot) } : {}),
  };
}
