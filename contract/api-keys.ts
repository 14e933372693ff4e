import * as v from 'valibot';
import { NAME_MAX, Timestamp, Uuid } from './fields.ts';

/** The largest number of API keys of a project. Expired keys count, revoked ones do not. */
export const API_KEYS_MAX = 100;

/** POST /api/v2/projects/{projectUuid}/api-keys/ (PRJ-03). Without `expires_at` the key works until it is revoked. */
export const ApiKeyCreate = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "Name can't be empty."),
    v.maxLength(NAME_MAX, `Name must be at most ${NAME_MAX} characters.`),
  ),
  expires_at: v.nullish(Timestamp),
});
export type ApiKeyCreate = v.InferOutput<typeof ApiKeyCreate>;

/** An API key as lists show it, masked. */
export const ApiKey = v.object({
  uuid: Uuid,
  name: v.string(),
  /** Beginning and end of the key, to tell keys apart. */
  masked_key: v.string(),
  created_at: Timestamp,
  /** E-mail address of its creator; null once that account is deleted. */
  created_by: v.nullable(v.string()),
  /** Accurate to a minute; null if never used. */
  last_used_at: v.nullable(Timestamp),
  expires_at: v.nullable(Timestamp),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** GET /api/v2/projects/{projectUuid}/api-keys/: newest first, without revoked keys. */
export const ApiKeys = v.object({ api_keys: v.array(ApiKey) });
export type ApiKeys = v.InferOutput<typeof ApiKeys>;

/** The only answer that contains the whole key. */
export const ApiKeyCreated = v.object({ api_key: ApiKey, key: v.string() });
export type ApiKeyCreated = v.InferOutput<typeof ApiKeyCreated>;

/** A key with the project that it opens. */
export const MemberApiKey = v.object({ ...ApiKey.entries, project: v.object({ uuid: Uuid, name: v.string() }) });
export type MemberApiKey = v.InferOutput<typeof MemberApiKey>;

/**
 * GET /api/v2/organizations/{orgUuid}/users/{userUuid}/api-keys/, and the same below /api/v2/projects/{projectUuid}/:
 * the keys that the person made there and that are not revoked, newest first (SEC-13).
 */
export const MemberApiKeys = v.object({ api_keys: v.array(MemberApiKey) });
export type MemberApiKeys = v.InferOutput<typeof MemberApiKeys>;
