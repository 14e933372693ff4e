import type { LiveConfig, LiveFailure, LiveResult } from '#contract/live.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../../shared/placeholder.ts';
import type { KeylessLiveConfig } from '../../settings/types.ts';

/** Opens one session. It goes into the first frame and nowhere else (LIV-14). */
export type SessionKey = { api_key: string };

/** Fetches a temporary key. Rejects with a CallError. */
export const fetchKey = promisePlaceholder<SessionKey>('fetchKey');

/** A frame as the browser sends it: text, or sound. */
export type Message = string | ArrayBuffer;

/** The first frame. */
export type FirstFrame = KeylessLiveConfig & Pick<LiveConfig, 'api_key'>;

/** To `webSocket`. `webSocket.connect` comes once; `webSocket.send` only after `webSocket.opened`. */
export type WebSocketCommand =
  | { type: 'webSocket.connect'; firstFrame: FirstFrame }
  | { type: 'webSocket.send'; messages: readonly Message[] };

/** From `webSocket`. `webSocket.opened`: the first frame is sent. Each message of the server is one of the next three. */
export type WebSocketEvent =
  | { type: 'webSocket.opened' }
  | { type: 'result.received'; result: LiveResult }
  | { type: 'failure.received'; failure: LiveFailure }
  | { type: 'unreadable.received' }
  | { type: 'webSocket.failed' }
  | { type: 'webSocket.closed'; code: number; reason: string };

/** The browser's WebSocket. It fails if it cannot be made, and closes with 1000 when the actor stops. */
export const webSocket = callbackPlaceholder<WebSocketCommand>('webSocket');
