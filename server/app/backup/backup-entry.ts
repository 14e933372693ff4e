/** Entry point of `npm run backup`. */
import { parseArgs } from 'node:util';
import { runProgram } from './program.ts';
import { countOf, sizeInWords } from './progress.ts';
import { takeBackup } from './take.ts';

const HELP = `npm run backup -- FOLDER      writes a backup of the database and its recordings into a new folder, while the servers work

  --with-secret-key           adds the secret key of the data directory; without it, keep the key elsewhere
  --help                      this text

It reads the settings of the server. See docs/operating.md, Backups.
`;

await runProgram(HELP, async (args, config, say) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'with-secret-key': { type: 'boolean', default: false } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) return undefined;
  const withSecretKey = values['with-secret-key'];
  const { tables, recordings, secret_key_id } = await takeBackup(config, folder, { say, withSecretKey });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (secret_key_id !== null && !withSecretKey)
    say(
      'The secret key is not in the backup. Keep it elsewhere: without it nobody can read secrets of webhooks and waiting mails.',
    );
  return `${folder}: ${countOf(rows, 'row')}, ${countOf(recordings.count, 'recording')}, ${sizeInWords(recordings.bytes)}`;
});
