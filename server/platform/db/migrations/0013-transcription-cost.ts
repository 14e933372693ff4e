import { sql, type Kysely, type Migration } from 'kysely';

/** What a transcription cost when it ended, in micro-USD, as its usage log has it; null for one without a price. One statement per query. */
export const transcriptionCost: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table transcriptions add column cost_micros bigint`.execute(db);
    await sql`update transcriptions set cost_micros = used.cost_micros
      from usage_logs as used
      where used.kind = 'async'
        and used.project_id = transcriptions.project_id
        and used.request_id = coalesce(transcriptions.request_id, transcriptions.id)`.execute(db);
  },
};
