const HEADER_BYTES = 27;
const CAPTURE = Buffer.from('OggS', 'latin1');

/** Gives the whole pages of an Ogg stream only: half a page at the end of a file cut short would be decoded as noise. */
export class OggPages {
  #rest: Buffer = Buffer.alloc(0);

  /** The pages that are complete now, one after the other as they stand in the file. */
  push(bytes: Uint8Array): Uint8Array {
    const data = Buffer.concat([this.#rest, bytes]);
    const pages: Buffer[] = [];
    let at = 0;
    for (;;) {
      const start = data.indexOf(CAPTURE, at);
      if (start < 0) {
        // The name of the next page may be cut in two.
        at = Math.max(at, data.length - CAPTURE.length + 1);
        break;
      }
      at = start;
      const segments = data[start + HEADER_BYTES - 1];
      const body = start + HEADER_BYTES + (segments ?? 0);
      if (segments === undefined || body > data.length) break;
      const end = data.subarray(start + HEADER_BYTES, body).reduce((sum, length) => sum + length, body);
      if (end > data.length) break;
      pages.push(data.subarray(start, end));
      at = end;
    }
    this.#rest = Buffer.from(data.subarray(at));
    return Uint8Array.from(Buffer.concat(pages));
  }
}
