import { decoder } from '@audio/decode-wav';
import { NOTHING } from './decode-codec.ts';
import type { Codec } from './decode-codec.ts';
import { EngineError } from './port.ts';

/** Chunks before the audio are skipped up to this size; pictures and the like stay below it. */
const HEADER_MAX = 1 << 20;
const CHANNELS_MAX = 32;

/** Bytes up to the end of the `fmt ` chunk's fixed part, once they are there; its fields are checked, as the decoder trusts them. */
function formatEnd(head: Uint8Array): number | null {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let at = 12; at + 24 <= head.length; at += 8 + view.getUint32(at + 4, true)) {
    if (view.getUint32(at) !== 0x666d7420) continue;
    const channels = view.getUint16(at + 10, true);
    const rate = view.getUint32(at + 12, true);
    const frameBytes = view.getUint16(at + 20, true);
    if (channels < 1 || channels > CHANNELS_MAX || rate < 1000 || rate > 768_000 || frameBytes < channels / 2) {
      throw new EngineError('invalid_audio', 'The WAV header makes no sense.');
    }
    return at + 24;
  }
  return null;
}

/** RIFF WAVE: integer and float PCM, A-law, µ-law, IMA and MS ADPCM. A file cut short gives what it holds. */
export function openWav(): Codec {
  const wav = decoder();
  let head: Uint8Array | null = new Uint8Array(0);
  let started = false;
  let headBytes = 0;
  return {
    push(bytes) {
      let data = bytes;
      if (head !== null) {
        data = Buffer.concat([head, bytes]);
        if (data.length > HEADER_MAX) throw new EngineError('invalid_audio', 'The WAV file has no audio format in its first megabyte.');
        if (formatEnd(data) === null) {
          head = data;
          return NOTHING;
        }
        head = null;
      }
      const block = wav.decode(data);
      started ||= block.channelData.length > 0;
      headBytes += data.length;
      if (!started && headBytes > HEADER_MAX) throw new EngineError('invalid_audio', 'The WAV file has no audio in its first megabyte.');
      return block;
    },
    flush: () => wav.flush(),
  };
}
