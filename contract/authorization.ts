import * as v from 'valibot';
import { Uuid } from './fields.ts';

/**
 * The console sends this behind `Bearer ` in speech calls. It is JSON, so that the server can tell it from a project's
 * API key. The project is that of the page's `/projects/{id}` path (API-02).
 */
export const SpeechCredential = v.object({
  type: v.literal('jwt'),
  project_id: Uuid,
  token: v.pipe(v.string(), v.minLength(1)),
});
export type SpeechCredential = v.InferOutput<typeof SpeechCredential>;
