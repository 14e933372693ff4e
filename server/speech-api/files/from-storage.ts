import { areBytesMissing, type FileStorage, type StorageError } from '../../platform/storage/port.ts';
import { fileNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { findLinkedFile } from './queries.ts';

/**
 * What the storage answers about the bytes of a file.
 * @throws ApiProblem 404 where the file was deleted meanwhile; StorageError, with the file in the log where its bytes are lost
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

/** Names in the log a file whose bytes are lost, in the words that docs/operating.md has. */
export const logMissing = (
  log: Pick<SpeechServices['log'], 'error'>,
  file: string | null,
  { code }: StorageError,
): void =>
  log.error(
    { file },
    code === 'not_found' ? 'the bytes of a file cannot be found' : 'the bytes of a file are not as many as came',
  );
