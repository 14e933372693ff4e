import type * as v from 'valibot';
import { ApiError } from '../errors.ts';
import { ACCOUNT_EXAMPLES } from './examples-accounts.ts';
import { ORGANIZATION_EXAMPLES } from './examples-organizations.ts';
import { USAGE_EXAMPLES } from './examples-usage.ts';
import { LIMITS_EXAMPLES } from './examples-limits.ts';
import { BILLING_EXAMPLES } from './examples-billing.ts';
import { SPEECH_EXAMPLES } from './examples-speech.ts';
import { example } from './example.ts';

/** Examples for every request body, and for answers that need one. */
export const EXAMPLES: ReadonlyMap<v.GenericSchema, unknown> = new Map([
  example(ApiError, {
    status_code: 400,
    error_type: 'invalid_request',
    message: 'Invalid request.',
    validation_errors: [{ error_type: 'missing', location: 'body.payload.model', message: 'Field required' }],
    request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  }),
  ...ACCOUNT_EXAMPLES,
  ...ORGANIZATION_EXAMPLES,
  ...USAGE_EXAMPLES,
  ...LIMITS_EXAMPLES,
  ...BILLING_EXAMPLES,
  ...SPEECH_EXAMPLES,
]);
