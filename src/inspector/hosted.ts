import { sendToHosted } from '../effects/inspect/inspectHosted.ts';
import { type Channel, CONNECTED, consoleOf, isInspectionMessage, sequenceOf } from './protocol.ts';

/**
 * Opens the inspector hosted by Stately and forwards the channel's messages to it, each once. Needs a user's click, or
 * the browser blocks the window. Once the inspector answers, asks every console to send everything again.
 */
export function passToHosted(
  page: Pick<Window, 'open' | 'addEventListener' | 'removeEventListener'>,
  channel: Channel,
  onConnected: () => void,
): void {
  const actors = new Set<string>();
  const seen = new Map<string, number>();
  const port = sendToHosted(page, () => {
    channel.addEventListener('message', pass);
    channel.postMessage({ type: CONNECTED });
    onConnected();
  });

  function pass({ data }: MessageEvent<unknown>) {
    if (!isInspectionMessage(data)) return;
    if (data.type === '@xstate.actor') {
      if (actors.has(data.sessionId)) return;
      actors.add(data.sessionId);
      // The console repeats its history after its root: accept it from the first message on.
      if (data.parentId === undefined) seen.set(consoleOf(data.sessionId), 0);
    } else {
      const sequence = sequenceOf(data.id);
      if (sequence <= (seen.get(consoleOf(data.id)) ?? Infinity)) return;
      seen.set(consoleOf(data.id), sequence);
    }
    port.send(data);
  }
}
