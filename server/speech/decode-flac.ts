import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { NOTHING } from './decode-codec.ts';
import type { Codec } from './decode-codec.ts';

/** As long as a frame header can be, and too short for a frame and the header after it. */
const SAMPLE_BYTES = 16;

/**
 * Keeps the first bytes of the first frame of a bare FLAC stream: 'fLaC', then metadata blocks (a flag for the last one and a
 * 24-bit length each), then frames.
 */
class FirstFrame {
  #skip = 4;
  #header: number[] = [];
  #last = false;
  #bytes: number[] = [];

  add(data: Uint8Array): void {
    let at = 0;
    while (at < data.length && this.#bytes.length < SAMPLE_BYTES) {
      const skipped = Math.min(this.#skip, data.length - at);
      this.#skip -= skipped;
      at += skipped;
      const byte = data[at];
      if (byte === undefined) return;
      at += 1;
      if (this.#last) this.#bytes.push(byte);
      else this.#addHeader(byte);
    }
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #addHeader(byte: number): void {
    this.#header.push(byte);
    if (this.#header.length < 4) return;
    const [flags = 0, high = 0, middle = 0, low = 0] = this.#header;
    this.#last = flags >= 0x80;
    this.#skip = (high << 16) | (middle << 8) | low;
    this.#header = [];
  }
}

/** FLAC, bare or in Ogg. */
export async function openFlac(bare: boolean): Promise<Codec> {
  const flac = new FLACDecoder();
  await flac.ready;
  const first = new FirstFrame();
  return {
    push(bytes) {
      if (bare) first.add(bytes);
      return flac.decode(bytes);
    },
    // The parser ends a frame where it sees the next header, and at the end of the file takes two frames for one:
    // so it is shown one more header, and whatever it would make of that one is not asked for.
    async flush() {
      const rest = bare ? await flac.decode(first.bytes) : NOTHING;
      return rest.channelData.length > 0 ? rest : flac.flush();
    },
  };
}
