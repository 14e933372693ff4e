/** Runs a program of the built server by its name in `dist/server`: `admin`, `migrate`, `backup` or `restore`. */
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
