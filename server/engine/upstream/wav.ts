import { randomUUID } from 'node:crypto';
import { UPLOAD_FIELD } from '#contract/files.ts';

const SAMPLE_RATE = 16_000;
const BYTES_PER_SAMPLE = 2;
/** Placeholder for a length that is unknown when the header is written. */
const UNKNOWN = 0xffffffff;

/** Header of a mono WAV file of 16-bit samples and unknown length. */
function wavHeader(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(UNKNOWN, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(UNKNOWN, 40);
  return header;
}

function samples16(piece: Float32Array): Buffer {
  const bytes = Buffer.alloc(piece.length * BYTES_PER_SAMPLE);
  piece.forEach((sample, index) =>
    bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), index * BYTES_PER_SAMPLE),
  );
  return bytes;
}

/** A multipart form with the recording as its file. Its body is written while the recording is read. */
export function wavForm(pcm: AsyncIterable<Float32Array>): { contentType: string; body: AsyncGenerator<Buffer> } {
  const boundary = `parlance-${randomUUID()}`;
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${UPLOAD_FIELD}"; filename="recording.wav"\r\ncontent-type: audio/wav\r\n\r\n`,
    );
    yield wavHeader();
    for await (const piece of pcm) yield samples16(piece);
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: body() };
}
