import { repeat } from '../../platform/repeat.ts';
import { isHeld } from '../../platform/storage/hold.ts';
import type { SpeechServices } from '../services.ts';

/** An upload is stored before its row is written; younger bytes may still get theirs. Milliseconds. */
const GRACE_MS = 3_600_000;
const INTERVAL_MS = 3_600_000;

/**
 * Removes the bytes that no row needs any more: of files whose project was deleted, or whose row was never written because the
 * server died, and what was fetched for a transcription that has ended.
 * @returns how many
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
    // The next sweep finds it.
    if (await isHeld(db)) break;
    await storage.remove(id);
    removed += 1;
  }
  return removed;
}

/** Does so every hour, and removes what uploads of processes that died have left, until the server stops. */
export function removeOrphansHourly(services: SpeechServices): void {
  const run = (): Promise<unknown> => Promise.all([removeOrphans(services), services.storage.sweep()]);
  repeat(services, { name: 'orphaned files', everyMs: INTERVAL_MS, run });
}
