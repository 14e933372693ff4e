/** Entry point of `npm run migrate`, which updates the database's tables while servers work on it. */
import { loadConfig, type Config } from '../platform/config.ts';
import { openAsIs } from '../platform/db/open.ts';
import { migrate, stateOf } from '../platform/db/migrate.ts';
import { explain } from './explain.ts';

const HELP = `npm run migrate               runs the migrations of this version that the database lacks
npm run migrate -- --check    lists them, and fails if there are any
`;

async function main(args: readonly string[]): Promise<void> {
  if (args.some((word) => word !== '--check')) {
    process.stdout.write(HELP);
    process.exitCode = args.includes('--help') ? 0 : 1;
    return;
  }
  let config: Config | undefined;
  try {
    config = loadConfig(process.env);
    const database = await openAsIs(config);
    try {
      const names = args.includes('--check')
        ? (await stateOf(database.patient)).pending
        : await migrate(database.patient);
      process.stdout.write(names.length === 0 ? 'The database is up to date.\n' : `${names.join('\n')}\n`);
      if (args.includes('--check') && names.length > 0) process.exitCode = 1;
    } finally {
      await database.close();
    }
  } catch (error) {
    process.stderr.write(
      `${explain(error, config, process.env).replace(/^The server cannot start: /, 'This failed: ')}\n`,
    );
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
