import { isConflict, isDatabaseAway } from '../../platform/db/away.ts';
import type { ReachedLimit } from '#contract/errors.ts';
import type { LiveFailure, LiveFailureReason } from '#contract/live.ts';
import { EngineError } from '../../engine/port.ts';
import { STATUS } from '../../http/errors.ts';
import { Refusal, type RefusalKind } from '../../platform/refusal.ts';

interface About extends ErrorOptions {
  limit?: ReachedLimit | undefined;
  reason?: LiveFailureReason;
}

/** Ends a live session early. Its fields are those of the error frame (speech API, real-time errors). */
export class LiveRefusal extends Error {
  /** The HTTP status of its kind. */
  readonly code: number;
  readonly type: string;
  readonly limit: ReachedLimit | undefined;
  readonly reason: LiveFailureReason | undefined;
  constructor(kind: RefusalKind, type: string, message: string, { limit, reason, ...options }: About = {}) {
    super(message, options);
    this.name = 'LiveRefusal';
    this.code = STATUS[kind];
    this.type = type;
    this.limit = limit;
    this.reason = reason;
  }
}

const invalid = (message: string, cause?: unknown): LiveRefusal =>
  new LiveRefusal('invalid', 'invalid_request', message, { cause });
const tooMuch = (message: string): LiveRefusal =>
  new LiveRefusal('invalid', 'invalid_request', message, { reason: 'too_much_audio' });
const late = (message: string, cause?: unknown): LiveRefusal =>
  new LiveRefusal('timeout', 'request_timeout', message, { cause });
const unknown = (message: string): LiveRefusal => new LiveRefusal('unauthenticated', 'unauthenticated', message);
const unavailable = (message: string, about?: About): LiveRefusal =>
  new LiveRefusal('unavailable', 'service_unavailable', message, about);

/** The socket's own refusals; in the public API's words, if it has any. */
export const refusal = {
  invalid,
  invalidAudio: (message: string, cause?: unknown) => new LiveRefusal('invalid', 'invalid_audio', message, { cause }),
  unknownModel: () => new LiveRefusal('invalid', 'model_not_available', 'Invalid model specified.'),
  context: (message: string) => new LiveRefusal('invalid', 'invalid_request', message, { reason: 'context' }),
  audioTooLong: () => tooMuch('Audio is too long.'),
  tooMuchAudio: () => tooMuch('Received too much audio data in total.'),
  missingKey: () => unknown('Missing API key.'),
  invalidKey: unknown,
  invalidTemporaryKey: () => unknown('Invalid/expired temporary API key.'),
  projectDeleted: () => unknown('The project of this key was deleted.'),
  keySessionOver: () =>
    new LiveRefusal(
      'forbidden',
      'temp_api_key_session_expired',
      'Temporary API key session has reached its maximum duration.',
    ),
  startTimeout: () => late('Start request timeout'),
  noFirstAudio: () => late('Timed out while waiting for the first audio chunk'),
  idle: () => late('Request timeout.'),
  inputTooSlow: () => late('Input too slow'),
  decodeTimeout: (cause?: unknown) => late('Audio data decode timeout', cause),
  slowReader: () => late('Results are not read fast enough.'),
  tooLong: () => new LiveRefusal('too_large', 'max_duration_reached', 'Maximum stream duration reached.'),
  failed: (cause: unknown) =>
    new LiveRefusal(
      'failed',
      'internal_error',
      'The server had an error processing your request. Sorry about that! Please try again.',
      { cause },
    ),
  overloaded: () => unavailable('The server is at its limit of concurrent streams. Please try again later.'),
  unavailable: () => unavailable('The speech engine is not available. Please try again later.'),
  databaseAway: (cause: unknown) =>
    unavailable('The server cannot reach its database just now. Please try again.', { cause }),
  /** @param part a number for the operator: the part of the server that gave up */
  cannotContinue: (part: number) =>
    unavailable(`Cannot continue request (code ${part}). Please restart the request.`, { reason: 'cannot_continue' }),
};

/** The refusal that a client gets for any error. */
export function refusalOf(error: unknown): LiveRefusal {
  if (error instanceof LiveRefusal) return error;
  if (error instanceof Refusal) return new LiveRefusal(error.kind, error.type, error.message, { limit: error.limit });
  if (isDatabaseAway(error)) return refusal.databaseAway(error);
  if (isConflict(error)) return refusal.cannotContinue(5);
  if (!(error instanceof EngineError)) return refusal.failed(error);
  switch (error.code) {
    case 'overloaded':
      return refusal.overloaded();
    case 'not_ready':
    case 'model_missing':
      return refusal.unavailable();
    case 'invalid_audio':
      return refusal.invalidAudio('Audio decode error', error);
    case 'unsupported_format':
      return invalid('Audio decode error', error);
    case 'audio_too_long':
      return refusal.audioTooLong();
    case 'invalid_context':
      return refusal.context(error.message);
    case 'worker_crashed':
    case 'aborted':
      return refusal.cannotContinue(3);
  }
}

/** The error frame of a refusal. */
export const failureOf = (
  { code, type, message, limit, reason }: LiveRefusal,
  { requestId, moreInfo }: { requestId: string; moreInfo: (type: string) => string },
): LiveFailure => ({
  tokens: [],
  error_code: code,
  error_type: type,
  error_message: message,
  more_info: moreInfo(type),
  request_id: requestId,
  limit,
  reason,
});
