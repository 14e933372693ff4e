import { fromCallback } from 'xstate';
import * as v from 'valibot';
import { CLOSE_NORMAL, LiveFrame } from '#contract/live.ts';
import type { FirstFrame, WebSocketCommand, WebSocketEvent } from '#machines/playground/stream/socket/actors.ts';

type WebSocketOptions = {
  address: () => string;
  createSocket?: (address: string) => WebSocket;
};

/** The `webSocket` actor: the browser's WebSocket, with each message checked against the contract. */
export const createWebSocket = ({ address, createSocket = (url) => new WebSocket(url) }: WebSocketOptions) =>
  fromCallback<WebSocketCommand, void>(({ sendBack, receive }) => {
    const report = (event: WebSocketEvent) => sendBack(event);
    let socket: WebSocket | undefined;

    function connect(firstFrame: FirstFrame) {
      const opening = createSocket(address());
      opening.onopen = () => {
        opening.send(JSON.stringify(firstFrame));
        report({ type: 'webSocket.opened' });
      };
      opening.onmessage = ({ data }: MessageEvent<unknown>) => report(read(data));
      opening.onerror = () => report({ type: 'webSocket.failed' });
      opening.onclose = ({ code, reason }) => report({ type: 'webSocket.closed', code, reason });
      socket = opening;
    }

    receive((command) => {
      if (command.type === 'webSocket.connect') connect(command.firstFrame);
      else for (const message of command.messages) socket?.send(message);
    });
    return () => {
      if (socket && socket.readyState <= socket.OPEN) socket.close(CLOSE_NORMAL);
    };
  });

function read(data: unknown): WebSocketEvent {
  const frame = parse(data);
  if (!frame) return { type: 'unreadable.received' };
  return 'error_message' in frame
    ? { type: 'failure.received', failure: frame }
    : { type: 'result.received', result: frame };
}

function parse(data: unknown): LiveFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const parsed = v.safeParse(LiveFrame, JSON.parse(data));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
