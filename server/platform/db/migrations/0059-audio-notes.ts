import { sql, type Kysely, type Migration } from 'kysely';

/** What was done with a recording of several parts, tracks or channels; null for what was transcribed before, and for what is not completed. */
export const audioNotes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table transcriptions add column audio_notes jsonb`.execute(db);
  },
};
