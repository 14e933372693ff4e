/** `npm run admin`: what the operator does from a terminal; see server/app/admin. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const entry = join(root, 'dist/server/admin.js');
if (existsSync(entry)) await import(entry);
else {
  process.stderr.write('The server is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
