/** Every refusal of the server, and every code of the catalogue, in the words that a person reads. */
import { describe, expect, it } from 'vitest';
import { LIVE_ERRORS } from '#contract/live.ts';
import { errorOfFrame, websocketClosed } from '#machines/playground/live/errors.ts';
import { BalanceExhausted, LimitReached } from '#server/money/limits/errors.ts';
import { tooManyRequests } from '#server/platform/refusal.ts';
import { failureOf, refusal, refusalOf, type LiveRefusal } from '#server/speech-api/live/refusal.ts';

const UNAVAILABLE = 'This request cannot be processed at this time. Please try again later.';
const CATALOGUE = {
  too_many_websocket_connections: UNAVAILABLE,
  cannot_handle_request: UNAVAILABLE,
  cannot_continue_request: 'This request cannot be continued. Click Record button again to continue.',
  too_many_concurrent_requests: 'Too many concurrent streaming transcription requests from this user.',
  max_audio_duration_exceeded: 'Maximum audio duration exceeded. Click Reset button.',
  invalid_context_structure: 'Context input must be valid JSON string.',
  websocket_error: 'WebSocket error occurred.',
};
/** The text of the server stands alone, under the type that it gives. */
const OWN = null;

const OF_RULES = ['balanceExhausted', 'tooManyWrongKeys', 'limitReached'] as const;
/** Every refusal that the server has, and the code of the catalogue that it must get. */
const REFUSALS: Record<
  keyof typeof refusal | (typeof OF_RULES)[number],
  readonly [LiveRefusal, keyof typeof CATALOGUE | null]
> = {
  invalid: [refusal.invalid('Invalid audio data format: avi'), OWN],
  context: [refusal.context('Context is too long (max length 10000).'), OWN],
  unknownModel: [refusal.unknownModel(), OWN],
  audioTooLong: [refusal.audioTooLong(), 'max_audio_duration_exceeded'],
  tooMuchAudio: [refusal.tooMuchAudio(), 'max_audio_duration_exceeded'],
  missingKey: [refusal.missingKey(), OWN],
  invalidAudio: [refusal.invalidAudio('The stream is not audio: it looks like JSON.'), OWN],
  invalidKey: [refusal.invalidKey('Incorrect API key provided.'), OWN],
  invalidTemporaryKey: [refusal.invalidTemporaryKey(), OWN],
  projectDeleted: [refusal.projectDeleted(), OWN],
  balanceExhausted: [refusalOf(new BalanceExhausted(1)), OWN],
  keySessionOver: [refusal.keySessionOver(), OWN],
  startTimeout: [refusal.startTimeout(), OWN],
  noFirstAudio: [refusal.noFirstAudio(), OWN],
  idle: [refusal.idle(), OWN],
  inputTooSlow: [refusal.inputTooSlow(), OWN],
  decodeTimeout: [refusal.decodeTimeout(), OWN],
  slowReader: [refusal.slowReader(), OWN],
  tooLong: [refusal.tooLong(), 'max_audio_duration_exceeded'],
  tooManyWrongKeys: [refusalOf(tooManyRequests(1)), OWN],
  limitReached: [refusalOf(new LimitReached('concurrent_streams', 'project', 10)), 'too_many_concurrent_requests'],
  failed: [refusal.failed(new Error('unseen')), OWN],
  overloaded: [refusal.overloaded(), 'cannot_handle_request'],
  databaseAway: [refusal.databaseAway(new Error('unseen')), 'cannot_handle_request'],
  unavailable: [refusal.unavailable(), 'cannot_handle_request'],
  cannotContinue: [refusal.cannotContinue(11), 'cannot_continue_request'],
};

describe('ERR-05: live errors', () => {
  it.each(Object.entries(REFUSALS))(
    'ERR-05 ERR-06 CON-22: the refusal %s is told with its text, and its request where the server failed',
    (_, [refused, known]) => {
      const { code, type, message, limit, reason } = refused;
      expect(Object.entries(LIVE_ERRORS)).toContainEqual([String(code), expect.arrayContaining([type])]);
      const frame = failureOf(refused, { requestId: 'r1', moreInfo: () => '' });
      expect(errorOfFrame(frame)).toStrictEqual({
        ...(known ? { code: known, message: CATALOGUE[known], detail: message } : { code: type, message }),
        ...(code < 500 ? {} : { requestId: 'r1' }),
        ...(limit && { limit }),
        ...(reason && { reason }),
      });
    },
  );

  it.each(Object.entries(CATALOGUE))('%s decides by itself', (error_type, message) => {
    expect(errorOfFrame({ error_type, error_message: 'Some reason.' })).toEqual({
      code: error_type,
      message,
      detail: 'Some reason.',
    });
  });

  it.each([
    [{ error_type: 'max_duration_reached' }, 'max_audio_duration_exceeded'],
    [{ error_code: 413 }, 'max_audio_duration_exceeded'],
    [{ reason: 'too_much_audio' }, 'max_audio_duration_exceeded'],
    [{ reason: 'cannot_continue' }, 'cannot_continue_request'],
    [{ error_type: 'service_unavailable' }, 'cannot_handle_request'],
    [{ error_code: 503 }, 'cannot_handle_request'],
    [{ error_type: 'unknown_to_everybody' }, 'unknown_to_everybody'],
  ] as const)('a type, a code or a reason is enough, whatever the words: %j', (frame, code) => {
    const error_message = 'Cannot continue request: the context is not valid JSON, and the audio is too long.';
    expect(errorOfFrame({ ...frame, error_message }).code).toBe(code);
  });

  it.each([
    [402, 'project_monthly_budget_exhausted', { name: 'budget_micros', of: 'project' }],
    [429, 'limit_exceeded', { name: 'audio_minutes', of: 'project' }],
    [429, 'limit_exceeded', undefined],
  ] as const)(
    'EST-07: %i %s with the limit %j is not about streams at once, whatever its words',
    (error_code, error_type, limit) => {
      const error_message = 'Your project has exceeded max number of concurrent requests.';
      expect(errorOfFrame({ error_code, error_type, error_message, limit })).toEqual({
        code: error_type,
        message: error_message,
        limit,
      });
    },
  );

  it('EST-07: streams at once are known by the limit that is told, whatever the server says of it', () => {
    const limit = { name: 'concurrent_streams', of: 'organization' } as const;
    const told = errorOfFrame({ error_code: 429, error_type: 'limit_exceeded', error_message: 'Full.', limit });
    expect(told.code).toBe('too_many_concurrent_requests');
  });

  it('the text of the server is shown without markup', () => {
    expect(errorOfFrame({ error_type: 'x', error_message: '<b>No.</b>' }).message).toBe('No.');
    expect(errorOfFrame({ error_type: 'websocket_error', error_message: '<b>No.</b>' }).detail).toBe('No.');
  });

  it('a socket that closes without a reason shows its code', () => {
    expect(websocketClosed({ code: 4000, reason: '' }).detail).toBe('WebSocket closed with code 4000.');
  });
});
