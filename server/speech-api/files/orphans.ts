import { repeat } from '../../platform/repeat.ts';
import { isHeld } from '../../platform/storage/hold.ts';
import type { SpeechServices } from '../services.ts';

/** Bytes are stored before their row is written, so younger bytes may still get one. Milliseconds. */
const GRACE_MS = 3_600_000;
const INTERVAL_MS = 3_600_000;

/**
 * Removes stored recordings that no row needs: of deleted projects, of uploads whose server died before it wrote the
 * row, and those fetched for transcriptions that have ended. @returns how many
 */
export async function removeOrphans({
  db,
  storage,
  clock,
  closing,
}: Pick<SpeechServices, 'db' | 'storage' | 'clock' | 'closing'>): Promise<number> {
  let removed = 0;
  for await (const { id, storedAt } of storage.list()) {
    if (closing.begun) break;
    if (clock().getTime() - storedAt.getTime() < GRACE_MS) continue;
    if (await db.selectFrom('files').select('id').where('id', '=', id).executeTakeFirst()) continue;
    if (
      await db
        .selectFrom('transcriptions')
        .select('id')
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'processing'])
        .executeTakeFirst()
    )
      continue;
    // A backup needs the recordings; the next sweep removes them.
    if (await isHeld(db)) break;
    await storage.remove(id);
    removed += 1;
  }
  return removed;
}

/** Every hour, removes orphans and the unfinished uploads of dead processes, until the server stops. */
export function removeOrphansHourly(services: SpeechServices): void {
  const run = (): Promise<unknown> => Promise.all([removeOrphans(services), services.storage.sweep()]);
  repeat(services, { name: 'orphaned files', everyMs: INTERVAL_MS, run });
}
