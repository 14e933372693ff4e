import { createMiddleware } from 'hono/factory';
import * as v from 'valibot';
import type { AppEnv } from '../http/env.ts';
import { refusalFor, STATUS } from '../http/errors.ts';
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

/** Notes refused transcriptions of known callers for the logs. Requires `c.var.caller`. */
export function noteRefusals({ refusedLog }: Pick<SpeechServices, 'refusedLog'>) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (!c.error) return;
    const { kind, type, message } = refusalFor(c.error);
    const told = toldBy(c.var.json);
    refusedLog.note({
      requestId: c.var.requestId,
      caller: c.var.caller,
      kind: 'async',
      model: told.model,
      clientReferenceId: told.client_reference_id,
      asked: askedIn(c.var.json),
      code: STATUS[kind],
      type,
      message,
    });
  });
}
