/**
 * The port of a storage for the bytes of recordings. The caller makes the ids, which are UUIDs. Objects never change.
 */
import type { Readable } from 'node:stream';

/** The id of a stored recording. */
export const STORED_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** First and last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Describes a storage in messages for operators. */
export interface StoragePlace {
  /** Whether its files are on this machine, so that a checkout copies nothing. */
  isLocal: boolean;
  /** A directory, or `s3://bucket/prefix`. */
  name: string;
  /** Completes "set …" to use another storage: a setting and its value. */
  elsewhere: string;
  /** Completes "set …" to use the storage that has the recordings. */
  thatHasThem: string;
  /** Path or URL of the note with the storage's id. */
  note: string;
}

/**
 * A note beside the recordings: `owner` is the id that their database has, too; `mark` tells this storage from copies
 * of it.
 */
export type Note = 'owner' | 'mark';

export interface FileStorage {
  readonly place: StoragePlace;
  /**
   * Stores the bytes of `body` under `id`, atomically. If `body` fails, stores nothing and rejects with its error.
   * @returns size in bytes
   * @throws StorageError 'storage_full', 'unavailable'
   */
  put(id: string, body: Readable): Promise<{ size: number }>;
  /** Reads the object, or a part of it. @throws StorageError 'not_found', 'unavailable' */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /** @throws StorageError 'unavailable' */
  exists(id: string): Promise<boolean>;
  /** Checks that the object has `size` bytes. @throws StorageError 'not_found', 'wrong_size', 'unavailable' */
  check(id: string, size: number): Promise<void>;
  /** Idempotent. @throws StorageError 'unavailable' */
  remove(id: string): Promise<void>;
  /** All objects, with the time when each was stored. */
  list(): AsyncIterable<{ id: string; storedAt: Date }>;
  /** Provides the bytes as a local file until `release` is called. @throws StorageError 'not_found', 'unavailable' */
  checkout(id: string): Promise<{ path: string; release(): Promise<void> }>;
  /** Removes unfinished uploads of dead processes; never current ones. @returns how many were removed */
  sweep(): Promise<number>;
  /** Reads a note, by default `owner`; undefined if there is none yet. */
  readNote(which?: Note): Promise<string | undefined>;
  /** Writes a note. If several servers write `owner` at the same time, only one wins: read it afterwards. */
  writeNote(id: string, which?: Note): Promise<void>;
  /** Removes the `owner` note. Idempotent. */
  removeNote(): Promise<void>;
}

/** `unavailable`: the storage does not answer, and a retry may succeed soon. */
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

/** @throws StorageError 'not_found' if there is no object, 'wrong_size' if it does not have `size` bytes */
export function checkSize(found: number | undefined, size: number): void {
  if (found === undefined) throw notStored();
  if (found === size) return;
  const what = found < size ? `whole: ${found} of ${size}` : `those that came: ${found} in place of ${size}`;
  throw new StorageError('wrong_size', `The bytes of the file are not ${what} are in the storage of this server.`);
}

export const noSpaceLeft = (options?: ErrorOptions): StorageError =>
  new StorageError('storage_full', 'The server has no space left to store this file.', options);

/** Whether an error means that a recording's bytes are lost or incomplete. */
export const areBytesMissing = (error: unknown): error is StorageError =>
  error instanceof StorageError && (error.code === 'not_found' || error.code === 'wrong_size');

/** Whether an error means that the storage did not answer, so that a retry may succeed soon. */
export const isStorageAway = (error: unknown): boolean => error instanceof StorageError && error.code === 'unavailable';
