import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Database channel that announces that an API key, a membership or a project has ended. */
export const ACCESS_ENDED_CHANNEL = 'access_ended';

/** Announces at commit that access has ended; then every process ends live sessions that have lost theirs. */
export async function announceAccessEnded(transaction: Db): Promise<void> {
  await sql`select pg_notify(${ACCESS_ENDED_CHANNEL}, '')`.execute(transaction);
}
