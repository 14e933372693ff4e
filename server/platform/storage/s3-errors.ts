/** Translates errors of an S3 service to those of the port. */
import { StartError } from '../start-error.ts';
import { notStored, noSpaceLeft, StorageError } from './port.ts';

/**
 * The storage is full, or a quota is reached. No service refuses our parts for their size, so EntityTooLarge is a
 * quota.
 */
const FULL = new Set([
  'EntityTooLarge',
  'QuotaExceeded',
  'ServiceQuotaExceededException',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
]);
const INSUFFICIENT_STORAGE = 507;
const GONE = new Set(['NoSuchKey', 'NoSuchUpload', 'NotFound']);
const NO_BUCKET = 'NoSuchBucket';
/** Statuses of refusals that may pass, by themselves or once the operator has fixed something. */
const REFUSING = new Set([301, 307, 401, 403, 404, 408, 429]);

const statusOf = (error: Error): number | undefined => {
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined;
  return typeof status === 'number' ? status : undefined;
};

/** The part of an error that may be logged: the full answer of a service repeats parts of the request. */
const brief = (error: Error): Error => {
  const code: unknown = Reflect.get(error, 'code');
  const status = statusOf(error);
  return new Error(
    [error.name, typeof code === 'string' ? code : status, error.message]
      .filter((part) => part !== undefined)
      .join(' '),
  );
};

export const isGone = (error: unknown): boolean => error instanceof Error && GONE.has(error.name);

/** Translates an error of the library to the port's; returns other errors unchanged. */
export function storageErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return error;
  const status = statusOf(error);
  const options = { cause: brief(error) };
  if (isGone(error)) return notStored(options);
  if (FULL.has(error.name) || status === INSUFFICIENT_STORAGE) return noSpaceLeft(options);
  if (status === undefined || status >= 500 || REFUSING.has(status))
    return new StorageError('unavailable', 'The storage of recordings does not answer just now.', options);
  return options.cause;
}

/** Translates an error at start to a StartError. */
export function startErrorOf(
  error: unknown,
  { bucket, endpoint = 'AWS' }: { bucket: string; endpoint: string | undefined },
): unknown {
  if (!(error instanceof Error) || error instanceof TypeError) return error;
  const status = statusOf(error);
  const code: unknown = Reflect.get(error, 'code');
  const options = { cause: error };
  if (error.name === NO_BUCKET || (status === 404 && !isGone(error)))
    return new StartError(
      `There is no bucket ${bucket} at ${endpoint}. Create it, or correct S3_BUCKET or S3_ENDPOINT.`,
      options,
    );
  if (status === 301 || status === 307 || error.name === 'AuthorizationHeaderMalformed')
    return new StartError(
      `The bucket ${bucket} is in another region. Set S3_REGION to that one, or S3_ENDPOINT to its address.`,
      options,
    );
  if (status === 401 || status === 403)
    return new StartError(
      `The storage at ${endpoint} refuses the key (${error.name}). Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or allow that key to read, write, delete and list in the bucket ${bucket}.`,
      options,
    );
  return new StartError(
    `The storage at ${endpoint} does not answer as one that speaks S3 (${typeof code === 'string' ? code : error.name}). Start it, or correct S3_ENDPOINT.`,
    options,
  );
}
