import type { ValidationError } from '#contract/errors.ts';
import { Uuid } from '#contract/fields.ts';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { AppEnv } from './env.ts';
import { Refusal, invalidRequest } from '../platform/refusal.ts';
import { jsonProblem } from '../platform/text.ts';

type Schema = v.GenericSchema;

/** Largest JSON body of most calls, bytes. */
const JSON_MAX_BYTES = 1_048_576;

/**
 * Reads and checks the JSON body. Sets `c.var.json`.
 * @param at prefix of reported locations, e.g. `body` or `body.payload`
 * @param maxBytes longest body
 * @throws Refusal invalid_request for malformed JSON or issues of the schema, too_large if the body is too long
 */
export async function readJson<const S extends Schema>(
  c: Context<AppEnv>,
  schema: S,
  at = 'body',
  maxBytes = JSON_MAX_BYTES,
): Promise<v.InferOutput<S>> {
  const text = await readText(c, maxBytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest([{ error_type: 'json_invalid', location: at, message: 'The body must be valid JSON.' }]);
  }
  c.set('json', value);
  const problem = jsonProblem(value, at);
  if (problem !== undefined) throw invalidRequest([problem]);
  return check(value, schema, at);
}

/** Reads and checks the query; of parameters with one name, the first counts. @throws Refusal invalid_request */
export function readQuery<const S extends Schema>(c: Context<AppEnv>, schema: S): v.InferOutput<S> {
  return check(c.req.query(), schema, 'query');
}

/** A path parameter, if it is a UUID. */
export function uuidOf(c: Context<AppEnv>, name: string): string | undefined {
  const { success, output } = v.safeParse(Uuid, c.req.param(name));
  return success ? output : undefined;
}

/** @throws Refusal invalid with one entry per issue */
function check<const S extends Schema>(value: unknown, schema: S, at: string): v.InferOutput<S> {
  // valibot takes an array for an object; no body is an array.
  if (Array.isArray(value))
    throw invalidRequest([
      { error_type: 'object', location: at, message: 'Invalid type: Expected Object but received Array' },
    ]);
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalidRequest(result.issues.map((issue) => describe(issue, at)));
}

function describe(issue: v.BaseIssue<unknown>, at: string): ValidationError {
  const path = v.getDotPath(issue);
  const missing = issue.received === 'undefined';
  return {
    error_type: missing ? 'missing' : issue.type,
    location: path === null ? at : `${at}.${path}`,
    message: missing ? 'Field required' : issue.message,
  };
}

/** The raw body as text, for callers that check its bytes. @throws Refusal too_large if it is too long */
export const readBody = (c: Context<AppEnv>): Promise<string> => readText(c, JSON_MAX_BYTES);

async function readText(c: Context<AppEnv>, maxBytes: number): Promise<string> {
  const tooLong = new Refusal('too_large', 'request_too_large', 'The request is too large.');
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLong;
  const reader = c.req.raw.body?.getReader();
  if (reader === undefined) return '';
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      await reader.cancel();
      throw tooLong;
    }
    pieces.push(value);
  }
  return Buffer.concat(pieces).toString('utf8');
}
