/** Archives that are written as fast as they are taken. */
import { Readable, type PassThrough } from 'node:stream';
import yazl from 'yazl';

/** A file of an archive: its name, and its text as a whole, or in pieces that are read when it is their turn. */
export type ZipEntry = readonly [name: string, contents: string | (() => AsyncIterable<string>)];

/**
 * An archive as a stream that reads on when what it has read was taken: a reader that is slow, or that leaves, keeps no more than a few
 * pieces. Where reading fails, the stream breaks off before the archive's list of contents, without which it is none.
 * @param onBroken told why it could not be read
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
        // The reader has left before its turn.
        if (out.destroyed) return;
        const file = Readable.from(contents(), { objectMode: true, highWaterMark: 1 }).once('error', breakOff);
        out.once('close', () => file.destroy());
        give(null, file);
      });
  }
  zip.end();
  // Bytes, not pieces, are what may wait.
  return Readable.toWeb(out, {
    strategy: new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  }) as ReadableStream<Uint8Array>;
}
