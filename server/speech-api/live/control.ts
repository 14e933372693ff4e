import * as v from 'valibot';
import { LiveControl } from '#contract/live.ts';
import type { Input } from './input-queue.ts';
import { refusal } from './refusal.ts';

/** A text frame after the start request: a control message, or audio in base64. An empty frame ends the audio. */
export type TextInput = Input | { kind: 'keepalive' };

const MessageType = v.object({ type: v.string() });

/** Parses a text frame. @throws LiveRefusal */
export function readText(frame: string): TextInput {
  if (frame === '') return { kind: 'end' };
  if (!/^\s*[{["]/.test(frame)) return { kind: 'audio', bytes: fromBase64(frame) };
  const value = parsed(frame);
  const control = v.safeParse(LiveControl, value);
  if (!control.success) {
    const known = LiveControl.options.some(
      (option) => v.is(MessageType, value) && option.entries.type.literal === value.type,
    );
    throw refusal.invalid(
      v.is(MessageType, value) && !known ? 'Control request invalid type.' : 'Control request is malformed.',
    );
  }
  if (control.output.type === 'keepalive') return { kind: 'keepalive' };
  return { kind: 'finalize', trailingSilenceMs: control.output.trailing_silence_ms ?? undefined };
}

function parsed(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    throw refusal.invalid('Control request is malformed.');
  }
}

/** Shorter binary frames are not tested for JSON: one or two samples can look like a short JSON text. */
const JSON_BYTES_MIN = 8;
/** First bytes of a JSON object or array. */
const JSON_BEGINS: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);

/** Refuses a binary frame that is a whole JSON object or array, because no audio is. @throws LiveRefusal */
export function checkBinary(bytes: Uint8Array): void {
  if (bytes.byteLength < JSON_BYTES_MIN || !JSON_BEGINS.has(bytes[0])) return;
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return;
  }
  throw refusal.invalidAudio('The stream is not audio: it looks like JSON. Control requests are text frames.');
}

/** Requires padding and no blanks. Node's own base64 reader skips invalid characters, so it would accept any text. */
function fromBase64(text: string): Buffer {
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/=]|=[^=]|={3}/.test(text))
    throw refusal.invalidAudio('Invalid base64. A text frame is audio in base64, or a control request in JSON.');
  return Buffer.from(text, 'base64');
}
