import * as v from 'valibot';
import { NAME_MAX, Timestamp, Uuid } from './fields.ts';

/** The most keys of a project that are not revoked; those that have expired count, too. */
export const API_KEYS_MAX = 100;

/** POST /api/v2/projects/{projectUuid}/api-keys/ (PRJ-03). Without `expires_at` the key is good until it is revoked. */
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

/** A key as lists show it: never the key itself. */
export const ApiKey = v.object({
  uuid: Uuid,
  name: v.string(),
  /** Beginning and end of the key, enough to tell it from others. */
  masked_key: v.string(),
  created_at: Timestamp,
  /** E-mail of who made it; null once that account is gone. */
  created_by: v.nullable(v.string()),
  /** To the minute; null when it was never used. */
  last_used_at: v.nullable(Timestamp),
  expires_at: v.nullable(Timestamp),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** GET /api/v2/projects/{projectUuid}/api-keys/ — newest first, without the revoked ones. */
export const ApiKeys = v.object({ api_keys: v.array(ApiKey) });
export type ApiKeys = v.InferOutput<typeof ApiKeys>;

/** The only answer that ever holds the key. */
export const ApiKeyCreated = v.object({ api_key: ApiKey, key: v.string() });
export type ApiKeyCreated = v.InferOutput<typeof ApiKeyCreated>;

/** A key with the project that it opens. */
export const MadeApiKey = v.object({ ...ApiKey.entries, project: v.object({ uuid: Uuid, name: v.string() }) });
export type MadeApiKey = v.InferOutput<typeof MadeApiKey>;

/**
 * GET /api/v2/organizations/{orgUuid}/users/{userUuid}/api-keys/ and /api/v2/projects/{projectUuid}/users/{userUuid}/api-keys/:
 * what a person made there and is not revoked, newest first (SEC-13).
 */
export const MadeApiKeys = v.object({ api_keys: v.array(MadeApiKey) });
export type MadeApiKeys = v.InferOutput<typeof MadeApiKeys>;
