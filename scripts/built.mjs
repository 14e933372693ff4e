/** Runs a program of the built server by its name: `npm run admin` (server/app/admin), `npm run migrate` (server/app/migrate.ts), `npm run backup` … */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const [name] = process.argv.splice(2, 1);
const entry = join(root, `dist/server/${name}.js`);
if (existsSync(entry)) await import(entry);
else {
  process.stderr.write('The server is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
