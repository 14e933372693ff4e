import { CONNECTED, type InspectionMessage } from '../../inspector/protocol.ts';
import type { InspectorPort } from './port.ts';

export const HOSTED_ORIGIN = 'https://stately.ai';
const DEFERRED_MAX = 1000;

/**
 * The inspector hosted by Stately, in a new window. Keeps messages until it answers. Sends to that origin only; the
 * library's own adapter would send to whatever page the window shows.
 */
export function sendToHosted(
  page: Pick<Window, 'open' | 'addEventListener' | 'removeEventListener'>,
  onConnected: () => void = () => undefined,
): InspectorPort {
  const target = page.open(`${HOSTED_ORIGIN}/inspect`, '_blank');
  let isConnected = false;
  let deferred: InspectionMessage[] = [];
  const post = (message: InspectionMessage) => target?.postMessage(message, HOSTED_ORIGIN);
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (origin !== HOSTED_ORIGIN || source !== target || typeof data !== 'object' || data === null) return;
    if (!('type' in data) || data.type !== CONNECTED) return;
    isConnected = true;
    deferred.forEach(post);
    deferred = [];
    onConnected();
  };
  page.addEventListener('message', onMessage);
  return {
    send: (message) => {
      if (isConnected) post(message);
      else deferred = [...deferred.slice(1 - DEFERRED_MAX), message];
    },
    stop: () => page.removeEventListener('message', onMessage),
  };
}
