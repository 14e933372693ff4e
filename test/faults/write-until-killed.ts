/**
 * A child process: opens the data directory and, with keys that begin as told, writes rows until it is killed. Says
 * `ready`, then the number of every row that was acknowledged.
 */
import { openDatabase } from '#server/platform/db/open.ts';

const prefix = process.argv[3] ?? '';
const { db } = await openDatabase({ dataDir: process.argv[2] });
process.stdout.write('ready\n');
for (let row = 1; ; row += 1) {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('rate_limits')
      .values({ key: `${prefix}a${row}`, arrival_ms: row })
      .execute();
    await transaction
      .insertInto('rate_limits')
      .values({ key: `${prefix}b${row}`, arrival_ms: row })
      .execute();
  });
  process.stdout.write(`${row}\n`);
}
