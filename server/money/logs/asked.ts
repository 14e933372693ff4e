/** What the logs keep of a request that was refused, or of a live session that failed: its settings (LOG-15). */
import * as v from 'valibot';
import { LogRequest } from '#contract/logs.ts';

const { left_out: _, ...KEPT } = LogRequest.entries;
/** Fields that are never kept, since they may have secrets or say who speaks of what, but that a person should know of. */
const NEVER = ['context', 'audio_url', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value'];

/** The settings of a request's JSON, which was not checked; null if it is no object. */
export function askedIn(json: unknown): LogRequest | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const fields = new Map<string, unknown>(
    Object.entries(json).filter(([, value]) => value !== null && value !== undefined),
  );
  const read = Object.entries(KEPT).flatMap(([name, schema]) =>
    fields.has(name) ? [{ name, ...v.safeParse(schema, fields.get(name)) }] : [],
  );
  return v.parse(LogRequest, {
    ...Object.fromEntries(read.flatMap(({ name, success, output }) => (success ? [[name, output]] : []))),
    left_out: [
      ...read.flatMap(({ name, success }) => (success ? [] : [name])),
      ...NEVER.filter((name) => fields.has(name)),
    ],
  });
}

/** Settings as a row keeps them. */
export const keptAsked = (asked: LogRequest | null): string | null => asked && JSON.stringify(asked);

const Kept = v.fallback(v.pipe(v.string(), v.parseJson(), v.nullable(LogRequest)), null);

/** Reads what {@link keptAsked} wrote, also of another version; null if that had none. */
export const readAsked = (kept: string | null): LogRequest | null => (kept === null ? null : v.parse(Kept, kept));
