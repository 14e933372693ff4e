import { OperatorError } from '../../money/limits/operator.ts';
import { loadConfig, type Config } from '../../platform/config.ts';
import { explain } from '../explain.ts';
import { toStandardError, type Say } from './progress.ts';

/**
 * Runs a command of the operator with the settings of the server; what it does is told on standard error, how it ended on standard
 * output. @param act returns undefined for words that it does not take
 */
export async function runProgram(
  help: string,
  act: (args: string[], config: Config, say: Say) => Promise<string | undefined>,
): Promise<void> {
  // Backups and databases are for their own user only.
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
    const isOfWords = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    const text =
      error instanceof OperatorError || isOfWords
        ? error.message
        : explain(error, config, process.env).replace(/^The server cannot start: /, 'This failed: ');
    process.stderr.write(`${text}\n`);
  }
  process.exitCode = 1;
}
