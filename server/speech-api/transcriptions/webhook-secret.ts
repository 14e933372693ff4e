import type { Db } from '../../platform/db/database.ts';
import { sealerFor, type Sealer } from '../../platform/sealed.ts';
import type { SecretFor } from '../../platform/secrets.ts';

/** Seals the header values of webhooks; the context of each is its transcription's id. */
export const webhookSealer = (secretFor: SecretFor): Sealer => sealerFor(secretFor, 'headers of webhooks');

/** Clears both columns that may hold the value, once it was sent or will never be. */
export const NO_SECRET = { webhook_auth_header_value: null, webhook_auth_sealed: null } as const;

/** Rows per query. */
const BATCH = 500;

/** At the start: deletes plain-text values that no webhook needs, and seals the others (left by earlier versions). */
export async function sealPlainSecrets(db: Db, sealer: Sealer): Promise<void> {
  await db
    .updateTable('transcriptions')
    .set(NO_SECRET)
    .where('webhook_auth_header_value', 'is not', null)
    .where(({ or, eb, and, not, exists, selectFrom }) =>
      or([
        eb('webhook_url', 'is', null),
        and([
          eb('finished_at', 'is not', null),
          not(
            exists(
              selectFrom('jobs')
                .select('id')
                .whereRef('jobs.subject', '=', 'transcriptions.id')
                .where('state', '<>', 'dead'),
            ),
          ),
        ]),
      ]),
    )
    .execute();
  for (;;) {
    const rows = await db
      .selectFrom('transcriptions')
      .select(['id', 'webhook_auth_header_value'])
      .where('webhook_auth_header_value', 'is not', null)
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    for (const { id, webhook_auth_header_value: plain } of rows) {
      await db
        .updateTable('transcriptions')
        .set({ webhook_auth_sealed: sealer.seal(plain ?? '', id), webhook_auth_header_value: null })
        .where('id', '=', id)
        .execute();
    }
  }
}
