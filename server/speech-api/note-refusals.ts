import type { IncomingMessage } from 'node:http';
import { createMiddleware } from 'hono/factory';
import * as v from 'valibot';
import type { ValidationError } from '#contract/errors.ts';
import type { AppEnv } from '../http/env.ts';
import { refusalFor, STATUS } from '../http/errors.ts';
import type { RefusedRequest } from '../money/logs/refused.ts';
import type { Refusal } from '../platform/refusal.ts';
import { askedIn } from '../money/logs/asked.ts';
import type { SpeechServices } from './services.ts';

const text = v.fallback(v.nullish(v.string(), null), null);
/** What a request that was refused tells of itself. */
const Told = v.object({ model: text, client_reference_id: text });
export type Told = v.InferOutput<typeof Told>;
const NOTHING: Told = { model: null, client_reference_id: null };

/** Reads model and reference of a request, as far as they are there. @param json the request, not checked */
export function toldBy(json: unknown): Told {
  const told = v.safeParse(Told, json);
  return told.success ? told.output : NOTHING;
}

/** The one field that is secret: a reason may quote what was sent. */
const SECRET_FIELD = 'webhook_auth_header_value';

/** The message of a refusal, and each field with its reason: 'Invalid request. model: Field required; …'. */
function inWords({ message, fields }: Refusal): string {
  const reasonOf = ({ location, message: reason }: ValidationError): string => {
    const field = location.replace(/^body\.payload\b/, 'body').replace(/^body\./, '');
    return field === SECRET_FIELD ? `${field}: Invalid value` : `${field}: ${reason}`;
  };
  const reasons = fields.filter((field) => field.message !== message).map(reasonOf);
  return reasons.length === 0 ? message : `${message} ${reasons.join('; ')}`;
}

/** Whether the client left before it had sent everything, so that nobody hears of the refusal. */
const hasLeft = ({ destroyed, complete }: IncomingMessage): boolean => destroyed && !complete;

/**
 * Notes refused calls of known callers for the logs. Requires `c.var.caller`.
 * @param kind what the call begins, or belongs to
 */
export function noteRefusals({ refusedLog }: Pick<SpeechServices, 'refusedLog'>, kind: RefusedRequest['kind']) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (!c.error) return;
    const refusal = refusalFor(c.error);
    // What is too large is not read to its end.
    if (refusal.kind !== 'too_large' && hasLeft(c.env.incoming)) return;
    const told = toldBy(c.var.json);
    refusedLog.note({
      requestId: c.var.requestId,
      caller: c.var.caller,
      kind,
      model: told.model,
      clientReferenceId: told.client_reference_id,
      asked: askedIn(c.var.json),
      code: STATUS[refusal.kind],
      type: refusal.type,
      message: inWords(refusal),
    });
  });
}
