/** Makes the database of a data directory, as the first start of a server does: `node make-database.mjs FOLDER`. */
import { register } from 'tsx/esm/api';

register();
const { openDatabase } = await import('../../server/platform/db/open.ts');
await (await openDatabase({ dataDir: process.argv[2] })).close();
process.exit(0);
