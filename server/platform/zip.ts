/** Writes zip archives as streams with backpressure. */
import { Readable, type PassThrough } from 'node:stream';
import yazl from 'yazl';

/** A file of an archive: its name, and its text, or a function that reads the text in pieces when it is its turn. */
export type ZipEntry = readonly [name: string, contents: string | (() => AsyncIterable<string>)];

/**
 * Makes a zip archive as a stream. Reads an entry's next piece only when the last one was taken, so that a slow or gone
 * reader holds only a few pieces in memory. If reading an entry fails, the stream fails before the archive's directory,
 * so that the archive is invalid.
 * @param onBroken called with the error of reading an entry
 */
export function zipStream(
  entries: readonly ZipEntry[],
  { mtime, onBroken }: { mtime: Date; onBroken: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const zip = new yazl.ZipFile();
  const out = zip.outputStream as PassThrough;
  const breakOff = (error: Error): void => {
    onBroken(error);
    out.destroy(error);
  };
  zip.on('error', breakOff);
  for (const [name, contents] of entries) {
    if (typeof contents === 'string') zip.addBuffer(Buffer.from(contents), name, { mtime });
    else
      zip.addReadStreamLazy(name, { mtime }, (give) => {
        // The reader has left before this entry's turn.
        if (out.destroyed) return;
        const file = Readable.from(contents(), { objectMode: true, highWaterMark: 1 }).once('error', breakOff);
        out.once('close', () => file.destroy());
        give(null, file);
      });
  }
  zip.end();
  // Buffer nothing, counted in bytes.
  return Readable.toWeb(out, {
    strategy: new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  }) as ReadableStream<Uint8Array>;
}
