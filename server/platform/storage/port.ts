/** Where the bytes of recordings live. Ids are UUIDs made by the caller; a stored object never changes. */
import type { Readable } from 'node:stream';

/** First and last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileStorage {
  /**
   * Stores everything that `body` yields under `id`: the object is either there whole or not at all.
   * A failing or aborted body leaves nothing behind and rejects with the body's own error.
   * @returns size in bytes
   * @throws StorageError 'storage_full'
   */
  put(id: string, body: Readable): Promise<{ size: number }>;
  /** Reads the object, or a part of it. @throws StorageError 'not_found' */
  open(id: string, range?: ByteRange): Promise<Readable>;
  exists(id: string): Promise<boolean>;
  /** Idempotent. */
  remove(id: string): Promise<void>;
  /** Everything that is stored, with the time it was. */
  list(): AsyncIterable<{ id: string; storedAt: Date }>;
  /** A path on this machine that holds the bytes until `release` is called. @throws StorageError 'not_found' */
  checkout(id: string): Promise<{ path: string; release(): Promise<void> }>;
}

export type StorageErrorCode = 'storage_full' | 'not_found';

/** A failure with a stable code; `message` is fit for a person. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
  }
}
