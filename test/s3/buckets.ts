/** Buckets of the server that `setup.ts` started, looked at past the server under test. */
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLog } from '#server/platform/log.ts';
import { openS3Storage, type S3StorageOptions } from '#server/platform/storage/s3.ts';
import type { FileStorage } from '#server/platform/storage/port.ts';
import { WITHOUT_SWIFT } from '../../scripts/swift.mjs';
import { testFolder } from '../server/template.ts';
import { S3_VARIABLE } from './setup.ts';

export const MIB = 1 << 20;

async function* pieces(content: Buffer, failure?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000);
  if (failure !== undefined) throw failure;
}
/** A body in pieces as a client sends them, with a failure at its end, or without. */
export const bodyOf = (content: Buffer, failure?: Error): Readable =>
  Readable.from(pieces(content, failure), { objectMode: false });

export const KEY = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
const REGION = 'us-east-1';

/** Where the server is. @throws where there is none */
export function endpoint(): string {
  const address = process.env[S3_VARIABLE];
  if (address === undefined) throw new Error(WITHOUT_SWIFT);
  return address;
}

const client = (address = endpoint()): S3Client =>
  new S3Client({
    endpoint: address,
    region: REGION,
    forcePathStyle: true,
    credentials: KEY,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

export class Bucket {
  readonly name: string;
  readonly #client: S3Client;
  constructor(name: string, address?: string) {
    this.name = name;
    this.#client = client(address);
  }
  /** Names of all objects. */
  async keys(): Promise<string[]> {
    const { Contents = [] } = await this.#client.send(new ListObjectsV2Command({ Bucket: this.name }));
    return Contents.map(({ Key = '' }) => Key).toSorted();
  }
  /** Names of the objects whose uploads were begun and not ended. */
  async uploads(): Promise<string[]> {
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket: this.name }));
    return Uploads.map(({ Key = '' }) => Key).toSorted();
  }
  /** Leaves an upload as a process that died does. */
  async crash(key: string): Promise<void> {
    const at = { Bucket: this.name, Key: key };
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(at));
    await this.#client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: Buffer.alloc(1000) }));
  }
  /** Allows so many bytes in it, and as many in parts of uploads. */
  async limit(bytes: number): Promise<void> {
    const entry = await fetch(`${endpoint()}/auth/v1.0`, {
      headers: { 'x-auth-user': KEY.accessKeyId, 'x-auth-key': KEY.secretAccessKey },
    });
    const account = entry.headers.get('x-storage-url') ?? '';
    for (const container of [this.name, `${this.name}+segments`]) {
      const answer = await fetch(`${account}/${encodeURIComponent(container)}`, {
        method: 'PUT',
        headers: {
          'x-auth-token': entry.headers.get('x-auth-token') ?? '',
          'x-container-meta-quota-bytes': String(bytes),
        },
      });
      if (!answer.ok) throw new Error(`No quota: ${answer.status} ${await answer.text()}`);
    }
  }
}

export async function newBucket(address?: string): Promise<Bucket> {
  const name = `test-${randomUUID()}`;
  await client(address).send(new CreateBucketCommand({ Bucket: name }));
  return new Bucket(name, address);
}

/** The driver on a bucket; by another way to the server, with other waits, where these are given. */
export const openBucket = (
  bucket: string,
  options: Partial<Omit<S3StorageOptions, 'bucket' | 'log'>> = {},
): Promise<FileStorage> =>
  openS3Storage({
    endpoint: endpoint(),
    region: REGION,
    pathStyle: true,
    prefix: '',
    ...KEY,
    ...options,
    checkouts: options.checkouts ?? mkdtempSync(join(testFolder, 'checkouts-')),
    bucket,
    log: createLog('silent'),
  });

/** Settings of a server. */
export const settingsOf = (bucket: string, address = endpoint()): Record<string, string> => ({
  S3_ENDPOINT: address,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: KEY.accessKeyId,
  S3_SECRET_ACCESS_KEY: KEY.secretAccessKey,
});
