import * as v from 'valibot';
import { LiveControl } from '#contract/live.ts';
import { refusal } from './refusal.ts';

/** A text frame after the start request: a control message, or audio in base64. An empty one ends the audio. */
export type TextInput = { kind: 'end' } | { kind: 'keepalive' } | { kind: 'finalize' } | { kind: 'audio'; bytes: Uint8Array };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const Typed = v.object({ type: v.string() });

/** @throws LiveRefusal */
export function readText(frame: string): TextInput {
  if (frame === '') return { kind: 'end' };
  if (!/^\s*[{["]/.test(frame)) {
    if (!BASE64.test(frame)) throw refusal.invalid('Invalid base64.');
    return { kind: 'audio', bytes: Buffer.from(frame, 'base64') };
  }
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    throw refusal.invalid('Control request is malformed.');
  }
  const control = v.safeParse(LiveControl, value);
  if (control.success) return { kind: control.output.type };
  const known = LiveControl.options.some((option) => v.is(Typed, value) && option.entries.type.literal === value.type);
  throw refusal.invalid(v.is(Typed, value) && !known ? 'Control request invalid type.' : 'Control request is malformed.');
}
