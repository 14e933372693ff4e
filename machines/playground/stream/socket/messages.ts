import { CHUNK_MAX_BYTES, type LiveControl } from '#contract/live.ts';
import type { Message } from './actors.ts';

/** What the session wants to send. `audio.ended` is the last. */
export type Outgoing =
  | { type: 'audio.chunk'; pcm: ArrayBuffer }
  | { type: 'finalize.requested' }
  | { type: 'audio.ended' };

/** The messages that the server gets for it. */
export function messagesOf(outgoing: Outgoing): readonly Message[] {
  switch (outgoing.type) {
    case 'audio.chunk':
      return split(outgoing.pcm);
    case 'finalize.requested':
      return [control({ type: 'finalize' })];
    case 'audio.ended':
      return [''];
  }
}

const control = (message: LiveControl) => JSON.stringify(message);

export const KEEPALIVE = control({ type: 'keepalive' });

/** Splits audio into parts of the allowed size, between samples. */
function split(pcm: ArrayBuffer): ArrayBuffer[] {
  return Array.from({ length: Math.ceil(pcm.byteLength / CHUNK_MAX_BYTES) }, (_, part) =>
    pcm.slice(part * CHUNK_MAX_BYTES, (part + 1) * CHUNK_MAX_BYTES),
  );
}
