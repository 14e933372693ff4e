/** Where things lie: the same code runs from source (`server/…`, tests, dev) and bundled (`dist/server/main.js`). */
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
// One folder deeper from source; the build puts shared code one folder deeper as well.
const here = ['platform', 'chunks'].includes(basename(folder)) ? dirname(folder) : folder;

/** True in the built server. */
export const bundled = basename(here) === 'server' && basename(dirname(here)) === 'dist';
/** Folder of the server's own files: `dist/server` when built, else `server`. */
export const serverRoot = here;
/** Folder of package.json. */
export const projectRoot = bundled ? dirname(dirname(here)) : dirname(here);
/** The built console. */
export const defaultWebRoot = join(projectRoot, 'dist', 'web');
