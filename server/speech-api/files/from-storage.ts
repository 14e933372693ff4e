import { areBytesMissing, type FileStorage, type StorageError } from '../../platform/storage/port.ts';
import { fileNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { findLinkedFile } from './queries.ts';

/**
 * Asks the storage about a file. If the file's bytes are lost, writes its id to the log.
 * @throws Refusal not_found if the file was deleted meanwhile; StorageError
 */
export async function fromStorage<T>(
  { db, storage, log }: Pick<SpeechServices, 'db' | 'storage' | 'log'>,
  id: string,
  ask: (storage: FileStorage) => Promise<T>,
): Promise<T> {
  try {
    return await ask(storage);
  } catch (error) {
    if (!areBytesMissing(error)) throw error;
    if (!(await findLinkedFile(db, id))) throw fileNotFound();
    logMissing(log, id, error);
    throw error;
  }
}

/** Logs a file whose bytes are lost. Operators find these words in docs/operating.md. */
export const logMissing = (
  log: Pick<SpeechServices['log'], 'error'>,
  file: string | null,
  { code }: StorageError,
): void =>
  log.error(
    { file },
    code === 'not_found' ? 'the bytes of a file cannot be found' : 'the bytes of a file are not as many as came',
  );
