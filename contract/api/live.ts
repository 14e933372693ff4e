import { LIVE_KEY_SUBPROTOCOLS, LIVE_PATH, LiveConfig, LiveControl, LiveFailure, LiveResult } from '../live.ts';
import type { ApiSocket } from './route.ts';
import { EXHAUSTED } from './shared.ts';

/** The live socket: a start request, audio and control frames in any order, an empty text frame (speech API §4). */
export const LIVE_SOCKET: ApiSocket = {
  path: LIVE_PATH,
  id: 'transcribeLive',
  tag: 'Live',
  summary: 'Transcribe live',
  subprotocols: LIVE_KEY_SUBPROTOCOLS,
  client: {
    'Start request (first frame)': LiveConfig,
    'Audio (binary, up to 1 MiB)': 'bytes',
    'Control (text)': LiveControl,
    'End of audio (empty text)': 'nothing',
  },
  server: { Result: LiveResult, 'Error, then the socket closes': LiveFailure },
  errors: {
    400: ['invalid_request', 'invalid_audio', 'model_not_available'],
    401: ['unauthenticated'],
    402: EXHAUSTED,
    403: ['temp_api_key_session_expired'],
    408: ['request_timeout'],
    413: ['max_duration_reached'],
    429: ['limit_exceeded'],
    500: ['internal_error'],
    503: ['service_unavailable'],
  },
};
