import { removeStored } from '../../platform/storage/remove-stored.ts';
import type { SpeechServices } from '../services.ts';

/**
 * Removes the bytes of a file after writing its row has failed. The commit may have succeeded without an answer, so
 * keeps the bytes if the row exists or the database does not answer; the hourly sweep removes orphans.
 */
export async function removeUnlessKept(
  services: Pick<SpeechServices, 'db' | 'storage' | 'clock'>,
  id: string,
): Promise<void> {
  const isKept = await services.db
    .selectFrom('files')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
    .then(
      (row) => row !== undefined,
      () => true,
    );
  if (!isKept) await removeStored(services, id);
}
