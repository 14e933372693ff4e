/** Entry point of `npm run restore`. */
import { parseArgs } from 'node:util';
import { runProgram } from './program.ts';
import { checkBackup, restoreBackup } from './restore.ts';

const HELP = `npm run restore -- FOLDER     restores the database and recordings of a backup to where the settings say

  --check                     only reads the backup, and says whether it is complete
  --replace                   replaces the database and recordings that are there
  --moved                     continues the series of receipts: no server has run since the backup
  --help                      this text

It reads the settings of the server, which must not be running. See docs/operating.md, Backups.
`;

await runProgram(HELP, async (args, config, say) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      check: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      moved: { type: 'boolean', default: false },
    },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) return undefined;
  if (values.check) {
    const { taken_at, version } = await checkBackup(folder, say);
    return `${folder}: taken at ${taken_at} by version ${version}`;
  }
  const { taken_at } = await restoreBackup(config, folder, { say, mayReplace: values.replace, isMoved: values.moved });
  return `Restored the backup of ${taken_at}.${values.moved ? '' : ' Receipts begin new series, because numbers may have been issued since.'} Start the server; it brings the tables up to date.`;
});
