import type { ReachedLimit } from '#contract/errors.ts';
import { LIVE_ERRORS, type LiveFailure, type LiveFailureReason } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import { isEveryday, toFailure } from '../../shared/failure.ts';
import { stripMarkup } from '../../shared/markup.ts';
import { contextDoubt } from '../settings/context.ts';

/** An error of a live session as plain data: `message` has the text of ERR-05, `detail` the cause as a second line. */
export type LiveError = {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly reason?: LiveFailureReason;
  /** Text beside the context field, if the context may be the cause. */
  readonly contextProblem?: string;
  /** Set if the server itself failed (CON-22). */
  readonly requestId?: string;
  /** The limit or lack of funds that kept the session from beginning (EST-05). */
  readonly limit?: ReachedLimit;
};

/** The texts of ERR-05; other codes show the server's text. */
const LIVE_MESSAGES = {
  too_many_websocket_connections: 'This request cannot be processed at this time. Please try again later.',
  cannot_handle_request: 'This request cannot be processed at this time. Please try again later.',
  cannot_continue_request: 'This request cannot be continued. Click Record button again to continue.',
  too_many_concurrent_requests: 'Too many concurrent streaming transcription requests from this user.',
  max_audio_duration_exceeded: 'Maximum audio duration exceeded. Click Reset button.',
  get_user_media_failed: "You did not grant permission to use your device's microphone.",
  input_file_error: 'Failed to load input file.',
  invalid_context_structure: 'Context input must be valid JSON string.',
  websocket_error: 'WebSocket error occurred.',
} as const;
export type LiveErrorCode = keyof typeof LIVE_MESSAGES;

/** Error codes that a change of input, permission or settings clears. The rest stays until the next session. */
const SUBJECTS = {
  input: ['get_user_media_failed', 'microphone_lost', 'input_file_error', 'invalid_audio'],
  permission: ['get_user_media_failed'],
  settings: ['invalid_context_structure', 'invalid_request'],
} as const satisfies Record<string, readonly string[]>;
export type ErrorSubject = keyof typeof SUBJECTS;

/** Whether a change of `subject` clears the error (CON-19). */
export const isAbout = ({ code }: LiveError, subject: ErrorSubject): boolean =>
  SUBJECTS[subject].some((known) => known === code);

/** An error with its text of ERR-05, and the cause as its second line. */
export function liveError(code: LiveErrorCode, detail?: string): LiveError {
  return { code, message: LIVE_MESSAGES[code], ...(detail ? { detail } : {}) };
}

/** Adds what is wrong with the context, if the server refuses it: it may say no more than that. */
export function explained(error: LiveError, context: string, model: Model | null): LiveError {
  if (error.code === 'invalid_context_structure') return { ...error, contextProblem: error.detail ?? error.message };
  if (error.reason !== 'context') return error;
  const doubt = contextDoubt(context, model);
  return { ...error, ...(doubt ? { detail: doubt } : {}), contextProblem: doubt ?? error.message };
}

/** The error of a socket that closed by itself, with its close code and reason. */
export function websocketClosed({ code, reason }: { code: number; reason: string }): LiveError {
  const detail = `WebSocket closed with code ${code}${reason ? ` (${reason})` : ''}.`;
  return { code: 'websocket_closed', message: 'The connection was lost.', detail };
}

/** The error of a socket that failed: the browser does not tell why. */
export const WEBSOCKET_FAILED = liveError('websocket_error', 'The connection could not be made, or it was lost.');

/** Codes of a lost connection: only another session helps. */
const LOST = new Set(['websocket_closed', 'websocket_error', 'server_silent']);

/** Adds to a lost connection what becomes of the words, and what to do. */
export function advised(error: LiveError, isHeard: boolean): LiveError {
  if (!LOST.has(error.code)) return error;
  const advice = isHeard ? 'What was heard is kept. Press Run to go on.' : 'Press Run to try again.';
  return { ...error, detail: error.detail ? `${advice}\n${error.detail}` : advice };
}

/** Too many chunks were queued before the socket opened (LIV-13). */
export const QUEUE_OVERFLOW: LiveError = { code: 'queue_overflow', message: 'max queuedMessages size exceeded' };

/** Nothing came from the server for too long. */
export const SERVER_SILENT: LiveError = { code: 'server_silent', message: 'The server stopped answering.' };

/** The page could not load its code for audio; the device is not the cause. */
export const AUDIO_MODULE_FAILED: LiveError = {
  code: 'audio_module_failed',
  message:
    'The part of this page that reads the sound could not be loaded. Check your connection, reload the page, then run again.',
};

/** The error of a temporary key that could not be had. */
export function errorOfKey(error: unknown): LiveError {
  const failure = toFailure(error);
  const { message, errorType, limit, requestId } = failure;
  return {
    code: errorType ?? 'temporary_key_failed',
    message,
    ...(limit ? { limit } : {}),
    ...(requestId && !isEveryday(failure) ? { requestId } : {}),
  };
}

/** An error frame of the server as shown: with the text of ERR-05 for a known error, else the server's. */
export function errorOfFrame(frame: LiveFailure): LiveError {
  const known = codeOf(frame);
  const isExpected = isEveryday({ kind: 'HTTP', ...statusOf(frame) });
  const beside = {
    ...(frame.request_id === undefined || isExpected ? {} : { requestId: frame.request_id }),
    ...(frame.limit ? { limit: frame.limit } : {}),
    ...(frame.reason ? { reason: frame.reason } : {}),
  };
  if (known) return { code: known, message: LIVE_MESSAGES[known], detail: stripMarkup(frame.error_message), ...beside };
  const code = frame.error_type ?? (frame.error_code === undefined ? 'error' : String(frame.error_code));
  return { code, message: stripMarkup(frame.error_message) || LIVE_MESSAGES.websocket_error, ...beside };
}

/** Status codes for frames that have only a type. */
const STATUS_OF_TYPE: ReadonlyMap<string | undefined, number> = new Map(
  Object.entries(LIVE_ERRORS).flatMap(([status, types]) => types.map((type) => [type, Number(status)])),
);

function statusOf({ error_code, error_type }: LiveFailure): { status?: number } {
  const status = error_code ?? STATUS_OF_TYPE.get(error_type);
  return status === undefined ? {} : { status };
}

function codeOf(frame: LiveFailure): LiveErrorCode | null {
  const { error_type: type, limit, reason } = frame;
  if (type !== undefined && isLiveErrorCode(type)) return type;
  if (limit) return limit.name === 'concurrent_streams' ? 'too_many_concurrent_requests' : null;
  const { status } = statusOf(frame);
  if (reason === 'cannot_continue') return 'cannot_continue_request';
  if (reason === 'too_much_audio' || status === 413) return 'max_audio_duration_exceeded';
  return status === 503 ? 'cannot_handle_request' : null;
}

function isLiveErrorCode(value: string): value is LiveErrorCode {
  return Object.hasOwn(LIVE_MESSAGES, value);
}
