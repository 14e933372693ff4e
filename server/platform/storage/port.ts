/** Where the bytes of recordings live. Ids are UUIDs made by the caller; a stored object never changes. */
import type { Readable } from 'node:stream';

/** What recordings are called. */
export const STORED_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** First and last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** How operators speak of a storage. */
export interface StoragePlace {
  /** Whether its files are on this machine: a checkout of one copies nothing. */
  isHere: boolean;
  /** Such as a directory, or `s3://bucket/prefix`. */
  name: string;
  /** What is set to use another one: a setting and what it is set to. */
  elsewhere: string;
  /** What is set to use the one that has the recordings. */
  thatHasThem: string;
  /** Where the note is that names the storage. */
  note: string;
}

/** What is noted beside the recordings: `owner`, the id by which their database knows them; `mark`, what tells this place from copies of it. */
export type Note = 'owner' | 'mark';

export interface FileStorage {
  readonly place: StoragePlace;
  /**
   * Stores everything that `body` yields under `id`: the object is either there whole or not at all.
   * A failing or aborted body leaves nothing behind and rejects with the body's own error.
   * @returns size in bytes
   * @throws StorageError 'storage_full', 'unavailable'
   */
  put(id: string, body: Readable): Promise<{ size: number }>;
  /** Reads the object, or a part of it. @throws StorageError 'not_found', 'unavailable' */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /** @throws StorageError 'unavailable' */
  exists(id: string): Promise<boolean>;
  /** Looks whether the object has as many bytes as `put` has counted. @throws StorageError 'not_found', 'wrong_size', 'unavailable' */
  check(id: string, size: number): Promise<void>;
  /** Idempotent. @throws StorageError 'unavailable' */
  remove(id: string): Promise<void>;
  /** Everything that is stored, with the time it was. */
  list(): AsyncIterable<{ id: string; storedAt: Date }>;
  /** A path on this machine that holds the bytes until `release` is called. @throws StorageError 'not_found', 'unavailable' */
  checkout(id: string): Promise<{ path: string; release(): Promise<void> }>;
  /** Removes what uploads have left whose process died; never what is under way. @returns how many */
  sweep(): Promise<number>;
  /** The id that the storage was given, or its mark; undefined: none yet. */
  readNote(which?: Note): Promise<string | undefined>;
  /** Gives it one, for another mark too. Where others give an id at the same time, one of them wins: read it afterwards. */
  writeNote(id: string, which?: Note): Promise<void>;
}

/** `unavailable`: it cannot be asked just now, and the same can succeed in a moment. */
export type StorageErrorCode = 'storage_full' | 'not_found' | 'wrong_size' | 'unavailable';

/** A failure with a stable code; `message` is fit for a person. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
  }
}

export const notStored = (options?: ErrorOptions): StorageError =>
  new StorageError('not_found', 'The bytes of the file cannot be found in the storage of this server.', options);

/** @throws StorageError 'not_found' where there is no object, 'wrong_size' where it has not `size` bytes */
export function checkSize(found: number | undefined, size: number): void {
  if (found === undefined) throw notStored();
  if (found === size) return;
  const what = found < size ? `whole: ${found} of ${size}` : `those that came: ${found} in place of ${size}`;
  throw new StorageError('wrong_size', `The bytes of the file are not ${what} are in the storage of this server.`);
}

export const noSpaceLeft = (options?: ErrorOptions): StorageError =>
  new StorageError('storage_full', 'The server has no space left to store this file.', options);

/** Whether bytes that a row names are lost, all or some of them, or in another place. */
export const areBytesMissing = (error: unknown): error is StorageError =>
  error instanceof StorageError && (error.code === 'not_found' || error.code === 'wrong_size');

/** Whether the same can succeed in a moment, as the storage did not answer, or could not. */
export const isStorageAway = (error: unknown): boolean => error instanceof StorageError && error.code === 'unavailable';
