/** The S3 client: its timeouts, and its errors translated to those of the port. */
import { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config.ts';
import { isGone, storageErrorOf } from './s3-errors.ts';

/** The largest number of connections to the service. A slow player keeps one open. */
const CONNECTIONS = 1000;

/** Timeouts of calls, milliseconds. */
export interface S3Waits {
  /** Longest wait for a connection. */
  connectMs: number;
  /** Longest wait for the answer to each attempt of a call. */
  callMs: number;
  /** Longest upload of a part. */
  partMs: number;
  /** Longest pause between two pieces of an answer. */
  idleMs: number;
  /** Attempts of each call, the first one included. */
  tries: number;
}

export const WAITS: S3Waits = { connectMs: 5000, callMs: 10_000, partMs: 60_000, idleMs: 15_000, tries: 3 };

/** @param answerMs longest wait until an answer begins */
export function s3Client(
  { endpoint, region, pathStyle, accessKeyId, secretAccessKey }: S3Config,
  { connectMs, tries }: S3Waits,
  answerMs: number,
): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: tries,
    retryMode: 'standard',
    // Not every service knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: CONNECTIONS },
      httpsAgent: { maxSockets: CONNECTIONS },
    },
  });
}

/** Awaits a call, and translates its error. @throws StorageError */
export async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storageErrorOf(error);
  }
}

/** Like {@link asked}, but returns undefined if the object does not exist. */
export const askedIfThere = <T>(call: Promise<T>): Promise<T | undefined> =>
  asked(
    call.catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    }),
  );
