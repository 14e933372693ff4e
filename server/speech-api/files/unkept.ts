import { removeStored } from '../../platform/storage/remove-stored.ts';
import type { SpeechServices } from '../services.ts';

/**
 * Removes what was stored for a file whose row could not be written. A commit that was not heard may have gone through: then
 * it stays, as it does where that cannot be asked; the hourly search for leftovers finds it.
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
