/** The storage of recordings in an S3 bucket. Loaded only if a bucket is configured. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { S3Config } from '../config.ts';
import { INSTALLATION_FILE, PLACE_FILE } from '../data-dir.ts';
import type { Log } from '../log.ts';
import { openPart, sweepParts } from './parts.ts';
import { checkSize, notStored, STORED_ID, type FileStorage, type Note } from './port.ts';
import { asked, askedIfThere, s3Client, WAITS, type S3Waits } from './s3-client.ts';
import { isGone, startErrorOf, storageErrorOf } from './s3-errors.ts';
import { readObject } from './s3-read.ts';
import { begunUploads, send, abortUploadsOf, abortUpload, UploadFailed } from './s3-uploads.ts';

/** An unfinished upload older than this is abandoned: its client or its process is gone. */
const LEFT_MS = 24 * 3_600_000;

export interface S3StorageOptions extends S3Config {
  /** Folder for temporary copies of recordings; other processes may use it, too. */
  checkouts: string;
  log: Log;
  waits?: Partial<S3Waits>;
  clock?: () => Date;
}

/** Opens a bucket. @throws StartError if it cannot be used */
export async function openS3Storage(options: S3StorageOptions): Promise<FileStorage> {
  const { bucket, prefix, checkouts, log, clock = () => new Date() } = options;
  const waits = { ...WAITS, ...options.waits };
  const client = s3Client(options, waits, waits.callMs);
  /** For uploads, which take longer. */
  const sender = s3Client(options, waits, waits.partMs);
  await mkdir(checkouts, { recursive: true, mode: 0o700 });
  await sweepParts(checkouts, { isAlone: false });

  const at = (id: string): { Bucket: string; Key: string } => {
    if (!STORED_ID.test(id)) throw notStored();
    return { Bucket: bucket, Key: prefix + id };
  };
  const idOf = (key: string | undefined): string | undefined =>
    key?.startsWith(prefix) && STORED_ID.test(key.slice(prefix.length)) ? key.slice(prefix.length) : undefined;
  const headOf = (id: string): Promise<HeadObjectCommandOutput | undefined> =>
    askedIfThere(client.send(new HeadObjectCommand(at(id))));
  /** Cleans up after a failed upload without hiding its error. `sweep` removes what stays behind after a day. */
  const leniently = <T>(call: Promise<T>): Promise<T | undefined> =>
    call.catch((error: unknown) => {
      log.warn({ err: error }, 'looking after an upload that failed');
      return undefined;
    });
  /** Awaits a call at start. @throws StartError */
  const starting = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw startErrorOf(error, options);
    }
  };

  await starting(client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })));
  const name = `s3://${bucket}/${prefix}`;
  const notes: Record<Note, { Bucket: string; Key: string }> = {
    owner: { Bucket: bucket, Key: prefix + INSTALLATION_FILE },
    mark: { Bucket: bucket, Key: prefix + PLACE_FILE },
  };

  const storage: FileStorage = {
    place: {
      isLocal: false,
      name,
      elsewhere: 'S3_BUCKET or S3_PREFIX to another place',
      thatHasThem:
        'S3_ENDPOINT, S3_BUCKET and S3_PREFIX to the place that has them, or copy them there with their note',
      note: name + INSTALLATION_FILE,
    },
    async put(id, body) {
      // Reading reports errors; this listener is for the time before anybody reads.
      body.on('error', () => {});
      const to = at(id);
      try {
        return { size: await send(sender, to, body) };
      } catch (error) {
        if (!(error instanceof UploadFailed)) throw error;
        const { isWhole, size, broken, cause } = error;
        // If only the answer was lost, the object is complete.
        if (isWhole && (await leniently(headOf(id)))?.ContentLength === size) return { size };
        await leniently(abortUploadsOf(client, bucket, to.Key));
        throw broken === undefined ? storageErrorOf(cause) : broken.by;
      }
    },
    open: async (id, range) => readObject({ client, at: at(id), range, idleMs: waits.idleMs, tries: waits.tries }),
    exists: async (id) => (await headOf(id)) !== undefined,
    async check(id, size) {
      const found = (await headOf(id))?.ContentLength;
      // HEAD cannot tell a missing bucket from a missing object, and some services send no length: open the object
      // instead.
      if (found === undefined) (await storage.open(id)).destroy();
      else checkSize(found, size);
    },
    async remove(id) {
      await askedIfThere(client.send(new DeleteObjectCommand(at(id))));
    },
    async *list() {
      let token: string | undefined;
      do {
        const page = await asked(
          client.send(
            new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, Delimiter: '/', ContinuationToken: token }),
          ),
        );
        for (const { Key, LastModified } of page.Contents ?? []) {
          const id = idOf(Key);
          if (id !== undefined && LastModified !== undefined) yield { id, storedAt: LastModified };
        }
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    async checkout(id) {
      const from = await storage.open(id);
      const part = await openPart(checkouts, id);
      try {
        await pipeline(from, part.writer);
        return { path: part.path, release: () => part.drop() };
      } catch (error) {
        from.destroy();
        await part.drop();
        throw error;
      }
    },
    async sweep() {
      let removed = await sweepParts(checkouts, { isAlone: false });
      for await (const begun of begunUploads(client, bucket, prefix)) {
        if (idOf(begun.key) === undefined || clock().getTime() - begun.at.getTime() < LEFT_MS) continue;
        await abortUpload(client, bucket, begun);
        removed += 1;
      }
      return removed;
    },
    async readNote(which = 'owner') {
      try {
        const { Body } = await client.send(new GetObjectCommand(notes[which]));
        return (await Body?.transformToString())?.trim() || undefined;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw startErrorOf(error, options);
      }
    },
    async writeNote(id, which = 'owner') {
      const text = { ...notes[which], Body: `${id}\n` };
      if (which === 'mark') return void (await starting(client.send(new PutObjectCommand(text))));
      try {
        await client.send(new PutObjectCommand({ ...text, IfNoneMatch: '*' }));
      } catch (error) {
        // Another server was first; the caller reads its note.
        if (error instanceof Error && error.name === 'PreconditionFailed') return;
        // Not every service knows `If-None-Match`.
        if (!(error instanceof Error && error.name === 'NotImplemented')) throw startErrorOf(error, options);
        await starting(client.send(new PutObjectCommand(text)));
      }
    },
    async removeNote() {
      await starting(client.send(new DeleteObjectCommand(notes.owner)));
    },
  };
  return storage;
}
