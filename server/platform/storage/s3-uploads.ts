/** Uploads in parts: one that is sent, and those that nobody has ended. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { asked, askedIfThere } from './s3-client.ts';

/** An upload holds so many parts of this size in memory, and one that it fills. Bytes. */
const PART_BYTES = 8 << 20;
const PARTS_AT_ONCE = 2;
/** Times that what an upload has left is looked for: a part that was under way may come to be after it was taken back. */
const LOOKS = 5;

interface Begun {
  key: string;
  id: string;
  at: Date;
}

export class UploadFailed extends Error {
  /** Whether the body was read to its end, so that only the answer may have been lost; and its size so far. */
  readonly isWhole: boolean;
  readonly size: number;
  /** What broke the body; undefined: the service failed. */
  readonly broken: { by: unknown } | undefined;
  constructor(cause: unknown, { isWhole, size, broken }: Pick<UploadFailed, 'isWhole' | 'size' | 'broken'>) {
    super('An upload failed.', { cause });
    this.isWhole = isWhole;
    this.size = size;
    this.broken = broken;
  }
}

/** Sends all that a body yields. Parts of one that fails are still there then. @returns its size @throws UploadFailed */
export async function send(client: S3Client, to: { Bucket: string; Key: string }, body: Readable): Promise<number> {
  const told = { isWhole: false, size: 0, broken: undefined as { by: unknown } | undefined };
  async function* pieces(): AsyncGenerator<Buffer> {
    const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    for (;;) {
      let next: IteratorResult<Buffer>;
      try {
        next = await source.next();
      } catch (error) {
        told.broken = { by: error };
        throw error;
      }
      if (next.done === true) break;
      told.size += next.value.byteLength;
      yield next.value;
    }
    told.isWhole = true;
  }
  const upload = new Upload({
    client,
    params: { ...to, Body: Readable.from(pieces(), { objectMode: false, highWaterMark: 1 << 20 }) },
    queueSize: PARTS_AT_ONCE,
    partSize: PART_BYTES,
    // It would do so without waiting for the parts that are under way.
    leavePartsOnError: true,
  });
  try {
    await upload.done();
    return told.size;
  } catch (error) {
    const failed = new UploadFailed(error, told);
    await upload.abort();
    body.destroy();
    throw failed;
  }
}

/** Uploads of objects whose names begin so, and that nobody has ended. @throws StorageError */
export async function* begunUploads(client: S3Client, bucket: string, start: string): AsyncGenerator<Begun> {
  let from: Pick<ListMultipartUploadsCommandOutput, 'KeyMarker' | 'UploadIdMarker'> | undefined = {};
  while (from !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await asked(
      client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: start, ...from })),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined && Initiated !== undefined)
        yield { key: Key, id: UploadId, at: Initiated };
    from =
      page.IsTruncated === true
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
  }
}

export async function takeBack(client: S3Client, bucket: string, { key, id }: Begun): Promise<void> {
  await askedIfThere(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id })));
}

/** Takes back what a failed upload of one object has left. @throws StorageError */
export async function takeAllBack(client: S3Client, bucket: string, key: string): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    let found = 0;
    for await (const begun of begunUploads(client, bucket, key)) {
      found += 1;
      await takeBack(client, bucket, begun);
    }
    if (found === 0) return;
  }
}
