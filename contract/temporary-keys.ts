import * as v from 'valibot';
import { CLIENT_REFERENCE_MAX } from './files.ts';
import { Timestamp } from './fields.ts';

const usageTypeRefused = ({ input }: { input: unknown }): string =>
  input === 'tts_rt'
    ? 'Speech generation is not available: keys are for transcribe_websocket only.'
    : 'The usage type must be transcribe_websocket.';

/** POST /v1/auth/temporary-api-key. After expiry the key opens no stream; running streams go on. */
export const TemporaryKeyRequest = v.object({
  usage_type: v.literal('transcribe_websocket', usageTypeRefused),
  expires_in_seconds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3600)),
  client_reference_id: v.nullish(v.pipe(v.string(), v.maxLength(CLIENT_REFERENCE_MAX))),
  single_use: v.nullish(v.boolean()),
  max_session_duration_seconds: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(18_000))),
});
export type TemporaryKeyRequest = v.InferInput<typeof TemporaryKeyRequest>;

export const TemporaryKey = v.object({ api_key: v.string(), expires_at: Timestamp });
export type TemporaryKey = v.InferOutput<typeof TemporaryKey>;
