/** Entry point of `npm run admin`. */
import { LIMIT_DEFAULTS } from '../../money/limits/defaults.ts';
import { isForOperator, OperatorError } from '../operator-error.ts';
import { loadConfig, type Config } from '../../platform/config.ts';
import { originOf } from '../../platform/context.ts';
import { followDatabase } from '../../platform/db/now.ts';
import { openPostgres } from '../../platform/db/postgres.ts';
import { createLog } from '../../platform/log.ts';
import { mailFor } from '../../platform/mail/mail-for.ts';
import { loadSecret } from '../../platform/secrets.ts';
import { explain } from '../explain.ts';
import { HELP, runCommand, type Answer } from './commands.ts';
import { askServer } from './socket.ts';

/** Runs a command on a PostgreSQL database, without a server. Servers send the mails that it writes. */
async function runBeside(config: Config, url: string, args: readonly string[]): Promise<Answer> {
  const database = openPostgres({ ...config, databaseUrl: url });
  const secretFor = loadSecret(config);
  try {
    // Servers use the database's clock too.
    const { now: clock } = await followDatabase(database.db);
    return await runCommand(
      {
        db: database.patient,
        clock,
        config,
        log: createLog('warn'),
        secretFor,
        mail: mailFor(config, secretFor, clock),
        publicUrl: () => originOf(config, config.port),
        limitDefaults: LIMIT_DEFAULTS,
      },
      args,
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '42P01')
      throw new OperatorError(
        'The database at DATABASE_URL has not been used by this version yet: start a server first.',
      );
    throw error;
  } finally {
    await database.close();
  }
}

async function main(given: readonly string[]): Promise<void> {
  const args = given.filter((word) => word !== '--json');
  if (args.length === 0 || args.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  let config: Config | undefined;
  try {
    config = loadConfig(process.env);
    const { databaseUrl, dataDir } = config;
    const { text, data, failed } =
      databaseUrl === undefined ? await askServer(dataDir, args) : await runBeside(config, databaseUrl, args);
    process.stdout.write(`${given.includes('--json') ? JSON.stringify(data, null, 2) : text}\n`);
    if (failed === true) process.exitCode = 1;
  } catch (error) {
    const text = isForOperator(error)
      ? error.message
      : explain(error, config, process.env).replace(/^The server cannot start: /, 'This failed: ');
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
