/** Calls of a service that speaks S3: each with its bounds, its failures in the words of the port. */
import { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config.ts';
import { isGone, storageErrorOf } from './s3-errors.ts';

/** Connections to the service, at most. A player that takes its time keeps one. */
const CONNECTIONS = 1000;

export interface S3Waits {
  /** Until a connection is there. */
  connectMs: number;
  /** Until a call is answered, each time that it is tried; and the upload of a part. */
  callMs: number;
  partMs: number;
  /** From one piece of an answer to the next. */
  idleMs: number;
  /** Of each call, the first one included. */
  tries: number;
}

export const WAITS: S3Waits = { connectMs: 5000, callMs: 10_000, partMs: 60_000, idleMs: 15_000, tries: 3 };

/** @param answerMs until an answer has to begin */
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
    // Not every service knows the newer ones.
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

/** The answer. @throws StorageError */
export async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storageErrorOf(error);
  }
}

/** The same; undefined where what is asked about is not there. */
export const askedIfThere = <T>(call: Promise<T>): Promise<T | undefined> =>
  asked(
    call.catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    }),
  );
