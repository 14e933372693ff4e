import * as v from 'valibot';
import { Uuid } from './fields.ts';

/**
 * What the console puts behind `Bearer ` on speech calls: JSON, so that the server can tell it from a project API key.
 * The project is the one of the page's `/projects/{id}` path (spec §7).
 */
export const SpeechCredential = v.object({
  type: v.literal('jwt'),
  project_id: Uuid,
  token: v.pipe(v.string(), v.minLength(1)),
});
export type SpeechCredential = v.InferOutput<typeof SpeechCredential>;
