import {
  LIVE_ERRORS,
  LIVE_KEY_SUBPROTOCOLS,
  LIVE_PATH,
  LiveConfig,
  LiveControl,
  LiveFailure,
  LiveResult,
} from '../live.ts';
import type { ApiSocket } from './route.ts';

/** The live socket: a start request, audio and control frames in any order, an empty text frame (speech API §4). */
export const LIVE_SOCKET: ApiSocket = {
  path: LIVE_PATH,
  id: 'transcribeLive',
  tag: 'Live',
  summary: 'Transcribe live',
  description:
    'Some error frames have a reason beside their error_type. ' +
    'context: the server refuses the context of the start request. ' +
    'too_much_audio: the stream may hear no more. ' +
    'cannot_continue: the server gave the stream up, and may take a new one at once. ' +
    'Only an empty text frame ends the audio: an empty binary frame, which some recorders send, changes nothing. ' +
    'A frame of more than 1 MiB closes the socket with code 1009, without an error frame.',
  subprotocols: LIVE_KEY_SUBPROTOCOLS,
  client: {
    'Start request (first frame)': LiveConfig,
    'Audio (binary, up to 1 MiB)': 'bytes',
    'Control (text)': LiveControl,
    'End of audio (empty text)': 'nothing',
  },
  server: { Result: LiveResult, 'Error, then the socket closes': LiveFailure },
  errors: LIVE_ERRORS,
};
