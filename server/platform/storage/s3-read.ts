import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { ByteRange } from './port.ts';
import { asked } from './s3-client.ts';
import { storageErrorOf } from './s3-errors.ts';

export interface ReadOptions {
  client: S3Client;
  at: { Bucket: string; Key: string };
  range: ByteRange | undefined;
  /** Longest wait for the next piece, milliseconds. */
  idleMs: number;
  /** How often to resume in a row without receiving a byte. */
  tries: number;
}

/**
 * Reads an object, or a range of it. Resumes where the connection breaks off, since objects never change. The reader
 * may be slow; a service that sends nothing for `idleMs` is asked again.
 * @throws StorageError
 */
export async function readObject(options: ReadOptions): Promise<Readable> {
  let at = options.range?.start ?? 0;
  let { body, length } = await ask(options, options.range);
  const end = at + length - 1;

  async function* pieces(): AsyncGenerator<Buffer> {
    for (let failures = 0; ;) {
      try {
        for await (const piece of inTime(body, options.idleMs)) {
          at += piece.byteLength;
          failures = 0;
          yield piece;
        }
        if (at > end) return;
        throw new Error('The answer ended too early.');
      } catch (error) {
        body.destroy();
        failures += 1;
        if (at > end) return;
        if (failures > options.tries) throw storageErrorOf(error);
      }
      ({ body, length } = await ask(options, { start: at, end }));
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 << 18 });
  stream.once('close', () => body.destroy());
  return stream;
}

async function ask(
  { client, at }: ReadOptions,
  range: ByteRange | undefined,
): Promise<{ body: Readable; length: number }> {
  const { Body, ContentLength } = await asked(
    client.send(new GetObjectCommand({ ...at, ...(range && { Range: `bytes=${range.start}-${range.end}` }) })),
  );
  if (!(Body instanceof Readable) || ContentLength === undefined) throw new Error('An answer without a body.');
  // The reader gets errors; this listener is for the time before anybody reads.
  Body.on('error', () => {});
  return { body: Body, length: ContentLength };
}

/** Yields the pieces of a body. Destroys it if a requested piece takes longer than `idleMs`. */
async function* inTime(body: Readable, idleMs: number): AsyncGenerator<Buffer> {
  const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error('Nothing came for too long.')), idleMs);
    let next: IteratorResult<Buffer>;
    try {
      next = await iterator.next();
    } finally {
      clearTimeout(timer);
    }
    if (next.done === true) return;
    yield next.value;
  }
}
