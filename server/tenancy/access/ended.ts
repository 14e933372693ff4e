import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** The channel on which it is told that a key, a membership or a project has ended. */
export const ACCESS_ENDED_CHANNEL = 'access_ended';

/** Lets the streams that stand on something that ends now be ended, once the transaction is through. */
export async function tellAccessEnded(transaction: Db): Promise<void> {
  await sql`select pg_notify(${ACCESS_ENDED_CHANNEL}, '')`.execute(transaction);
}
