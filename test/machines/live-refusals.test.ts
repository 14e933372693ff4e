/** Every refusal of the server, and every code of the catalogue, in the words that a person reads. */
import { expect, it } from 'vitest';
import { errorOfFrame } from '#machines/playground/live/errors.ts';
import { LimitReached } from '#server/money/limits/admission.ts';
import { refusal, type LiveRefusal } from '#server/speech-api/live/refusal.ts';

const UNAVAILABLE = 'This request cannot be processed at this time. Please try again later.';
const AGAIN = 'This request cannot be continued. Click Record button again to continue.';
const TOO_LONG = 'Maximum audio duration exceeded. Click Reset button.';
const TOO_MANY = 'Too many concurrent streaming transcription requests from this user.';
/** The text of the server stands alone. */
const OWN = null;

/** Every refusal that the server has, and the headline that it must get. */
const REFUSALS: Record<keyof typeof refusal, readonly [LiveRefusal, string | null]> = {
  invalid: [refusal.invalid('Invalid audio data format: <b>avi</b>'), 'Invalid audio data format: avi'],
  unknownModel: [refusal.unknownModel(), OWN],
  audioTooLong: [refusal.audioTooLong(), TOO_LONG],
  tooMuchAudio: [refusal.tooMuchAudio(), TOO_LONG],
  missingKey: [refusal.missingKey(), OWN],
  invalidKey: [refusal.invalidKey(), OWN],
  invalidTemporaryKey: [refusal.invalidTemporaryKey(), OWN],
  projectDeleted: [refusal.projectDeleted(), OWN],
  balanceExhausted: [refusal.balanceExhausted(), OWN],
  keySessionOver: [refusal.keySessionOver(), OWN],
  startTimeout: [refusal.startTimeout(), OWN],
  noFirstAudio: [refusal.noFirstAudio(), OWN],
  idle: [refusal.idle(), OWN],
  inputTooSlow: [refusal.inputTooSlow(), OWN],
  decodeTimeout: [refusal.decodeTimeout(), OWN],
  slowReader: [refusal.slowReader(), OWN],
  tooLong: [refusal.tooLong(), TOO_LONG],
  tooManyWrongKeys: [refusal.tooManyWrongKeys('Too many attempts. Please wait a moment and try again.'), OWN],
  limitReached: [refusal.limitReached(new LimitReached('concurrent_streams', 'project', 10)), TOO_MANY],
  failed: [refusal.failed(new Error('unseen')), OWN],
  overloaded: [refusal.overloaded(), UNAVAILABLE],
  databaseAway: [refusal.databaseAway(new Error('unseen')), UNAVAILABLE],
  unavailable: [refusal.unavailable(), UNAVAILABLE],
  cannotContinue: [refusal.cannotContinue(11), AGAIN],
};

it.each(Object.entries(REFUSALS))(
  'ERR-05 ERR-06 CON-22: the refusal %s is told with its text, and its request where the server failed',
  (_, [{ code, type, message, limit }, headline]) => {
    const frame = { error_code: code, error_type: type, error_message: message, request_id: 'r1', limit };
    expect(errorOfFrame(frame)).toMatchObject({
      message: headline ?? message,
      ...(headline && !message.includes('<') ? { detail: message } : {}),
      ...(code < 500 ? {} : { requestId: 'r1' }),
    });
    expect('requestId' in errorOfFrame(frame)).toBe(code >= 500);
  },
);

const CATALOGUE: readonly (readonly [string, string])[] = [
  ['too_many_websocket_connections', UNAVAILABLE],
  ['cannot_handle_request', UNAVAILABLE],
  ['cannot_continue_request', AGAIN],
  ['too_many_concurrent_requests', TOO_MANY],
  ['max_audio_duration_exceeded', TOO_LONG],
  ['invalid_context_structure', 'Context input must be valid JSON string.'],
  ['websocket_error', 'WebSocket error occurred.'],
  ['unknown_to_everybody', 'Some reason.'],
];

it.each(CATALOGUE)('ERR-05: %s decides by itself', (error_type, message) => {
  const told = errorOfFrame({ error_type, error_message: 'Some reason.' });
  expect([told.message, told.detail ?? told.message]).toEqual([message, 'Some reason.']);
});
