import { isForOperator } from '../operator-error.ts';
import { loadConfig, type Config } from '../../platform/config.ts';
import { explain } from '../explain.ts';
import { toStandardError, type Say } from './progress.ts';

/**
 * Runs a program of the operator with the server's settings. Progress goes to standard error, the result to standard
 * output. @param act returns the result; undefined if the arguments are wrong, which shows the help
 */
export async function runProgram(
  help: string,
  act: (args: string[], config: Config, say: Say) => Promise<string | undefined>,
): Promise<void> {
  // Only this user may read backups and databases.
  process.umask(0o077);
  const args = process.argv.slice(2);
  let config: Config | undefined;
  try {
    if (args.includes('--help')) return void process.stdout.write(help);
    config = loadConfig(process.env);
    const end = await act(args, config, toStandardError);
    if (end !== undefined) return void process.stdout.write(`${end}\n`);
    process.stderr.write(help);
  } catch (error) {
    const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    const text =
      isForOperator(error) || isUsage
        ? error.message
        : explain(error, config, process.env).replace(/^The server cannot start: /, 'This failed: ');
    process.stderr.write(`${text}\n`);
  }
  process.exitCode = 1;
}
