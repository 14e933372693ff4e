/** Multipart uploads: sends one, and finds and aborts unfinished ones. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { asked, askedIfThere } from './s3-client.ts';

/** An upload holds so many parts of this size (bytes) in memory, and one that is being filled. */
const PART_BYTES = 8 << 20;
const PARTS_AT_ONCE = 2;
/** How often to abort the uploads of an object: a part that was still being sent may bring one back. */
const ROUNDS_MAX = 5;

interface Begun {
  key: string;
  id: string;
  at: Date;
}

export class UploadFailed extends Error {
  /** Whether the body was read to its end, so that perhaps only the answer was lost. */
  readonly isWhole: boolean;
  /** Bytes read so far. */
  readonly size: number;
  /** The error of the body; undefined if the service failed. */
  readonly broken: { by: unknown } | undefined;
  constructor(cause: unknown, { isWhole, size, broken }: Pick<UploadFailed, 'isWhole' | 'size' | 'broken'>) {
    super('An upload failed.', { cause });
    this.isWhole = isWhole;
    this.size = size;
    this.broken = broken;
  }
}

/** Uploads a body. Leaves the parts of a failed upload in place. @returns its size in bytes @throws UploadFailed */
export async function send(client: S3Client, to: { Bucket: string; Key: string }, body: Readable): Promise<number> {
  const state = { isWhole: false, size: 0, broken: undefined as { by: unknown } | undefined };
  async function* pieces(): AsyncGenerator<Buffer> {
    const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    for (;;) {
      let next: IteratorResult<Buffer>;
      try {
        next = await source.next();
      } catch (error) {
        state.broken = { by: error };
        throw error;
      }
      if (next.done === true) break;
      state.size += next.value.byteLength;
      yield next.value;
    }
    state.isWhole = true;
  }
  const upload = new Upload({
    client,
    params: { ...to, Body: Readable.from(pieces(), { objectMode: false, highWaterMark: 1 << 20 }) },
    queueSize: PARTS_AT_ONCE,
    partSize: PART_BYTES,
    // The library would abort without waiting for the parts that are being sent.
    leavePartsOnError: true,
  });
  try {
    await upload.done();
    return state.size;
  } catch (error) {
    const failed = new UploadFailed(error, state);
    await upload.abort();
    body.destroy();
    throw failed;
  }
}

/** Lists unfinished uploads of objects whose names begin with `start`. @throws StorageError */
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

export async function abortUpload(client: S3Client, bucket: string, { key, id }: Begun): Promise<void> {
  await askedIfThere(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id })));
}

/** Aborts all unfinished uploads of an object. @throws StorageError */
export async function abortUploadsOf(client: S3Client, bucket: string, key: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    let found = 0;
    for await (const begun of begunUploads(client, bucket, key)) {
      found += 1;
      await abortUpload(client, bucket, begun);
    }
    if (found === 0) return;
  }
}
