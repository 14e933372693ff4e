// What the examples share: one organization, its project, and people.
import type * as v from 'valibot';
import type { ApiKey } from '../api-keys.ts';

export const FILE = '6a1f0c3e-52f4-4b0e-9c38-0d8f6f1f2a11';
export const TRANSCRIPTION = 'b7c2f9d0-8a41-4d53-a1de-9f0b3c5e7d22';
export const ORGANIZATION = '0f5d8e6a-7b3c-4c1d-8e9f-1a2b3c4d5e33';
export const PROJECT = 'd4e3c2b1-a098-4765-8432-10fedcba9844';
export const ACCESS = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
export const REFRESH = 'cmVmcmVzaC10b2tlbg';
export const PERSON = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
export const apiKey: v.InferOutput<typeof ApiKey> = {
  uuid: 'c0ffee00-1d2e-4f3a-8b4c-5d6e7f809a66',
  name: 'Nightly import',
  masked_key: 'prl_ab…9Zk4',
  created_at: '2026-05-04T09:00:00.000Z',
  created_by: 'ada@example.com',
  last_used_at: null,
  expires_at: null,
};

/** Types an example as the wire has it. */
export function example<const S extends v.GenericSchema>(
  schema: S,
  value: v.InferInput<S>,
): readonly [v.GenericSchema, unknown] {
  return [schema, value];
}
