import { describe, expect, it } from 'vitest';
import { errorOfFrame, stripMarkup, websocketClosed } from '#machines/playground/live/errors.ts';

describe('ERR-05: live errors', () => {
  it.each([
    [
      503,
      'Cannot continue request (code 11). Please restart the request.',
      'cannot_continue_request',
      'This request cannot be continued. Click Record button again to continue.',
    ],
    [
      503,
      'The speech engine is not available.',
      'cannot_handle_request',
      'This request cannot be processed at this time. Please try again later.',
    ],
    [
      413,
      'Maximum stream duration reached.',
      'max_audio_duration_exceeded',
      'Maximum audio duration exceeded. Click Reset button.',
    ],
    [400, 'Audio is too long.', 'max_audio_duration_exceeded', 'Maximum audio duration exceeded. Click Reset button.'],
  ])('%i %s', (error_code, error_message, code, message) => {
    expect(errorOfFrame({ error_code, error_message, request_id: 'r1' })).toEqual({
      code,
      message,
      detail: error_message,
      ...(error_code < 500 ? {} : { requestId: 'r1' }),
    });
  });
  it.each([
    ['max_duration_reached', 'Maximum stream duration reached.', 'max_audio_duration_exceeded'],
    ['service_unavailable', 'Cannot continue request (code 1). Please restart the request.', 'cannot_continue_request'],
    ['service_unavailable', 'The speech engine is not available.', 'cannot_handle_request'],
  ])('ERR-05: %s counts without a code too (%s)', (error_type, error_message, code) => {
    expect(errorOfFrame({ error_type, error_message }).code).toBe(code);
  });
  it('ERR-05 EST-07: streams at once are known by the limit that is told, whatever the server says of it', () => {
    const limit = { name: 'concurrent_streams', of: 'organization' } as const;
    expect(errorOfFrame({ error_code: 429, error_type: 'limit_exceeded', error_message: 'Full.', limit })).toEqual({
      code: 'too_many_concurrent_requests',
      message: 'Too many concurrent streaming transcription requests from this user.',
      detail: 'Full.',
      limit,
    });
  });
  it.each([
    [402, 'project_monthly_budget_exhausted', { name: 'budget_micros', of: 'project' }],
    [402, 'organization_balance_exhausted', { name: 'balance', of: 'organization' }],
    [429, 'limit_exceeded', { name: 'audio_minutes', of: 'project' }],
  ] as const)('EST-07: %i %s with the limit %j is told in the words of the server', (error_code, error_type, limit) => {
    const error_message = 'Exceeded max number of concurrent requests: too much audio.';
    expect(errorOfFrame({ error_code, error_type, error_message, limit })).toEqual({
      code: error_type,
      message: error_message,
      limit,
    });
  });
  it('ERR-05: a refusal that tells no limit is about none, whatever its words', () => {
    const error_message = 'Your project has exceeded max number of concurrent requests.';
    expect(errorOfFrame({ error_code: 429, error_type: 'limit_exceeded', error_message })).toEqual({
      code: 'limit_exceeded',
      message: error_message,
    });
  });
  it('ERR-05: a type of the catalogue decides by itself', () => {
    expect(errorOfFrame({ error_type: 'too_many_websocket_connections', error_message: 'x' }).message).toBe(
      'This request cannot be processed at this time. Please try again later.',
    );
    expect(errorOfFrame({ error_type: 'websocket_error', error_message: 'x' }).message).toBe(
      'WebSocket error occurred.',
    );
  });
  it('ERR-05: any other error shows the text of the server without markup', () => {
    expect(
      errorOfFrame({ error_code: 402, error_type: 'balance', error_message: 'Balance <b>exhausted</b>. 1 < 2' }),
    ).toEqual({ code: 'balance', message: 'Balance exhausted. 1 < 2' });
    expect(stripMarkup('<a href="x">here</a>')).toBe('here');
  });
  it('ERR-05: a closed socket shows code and reason', () => {
    expect(websocketClosed({ code: 1006, reason: 'lost' })).toEqual({
      code: 'websocket_closed',
      message: 'WebSocket closed with code 1006 (lost).',
    });
    expect(websocketClosed({ code: 4000, reason: '' }).message).toContain('4000');
  });
});
