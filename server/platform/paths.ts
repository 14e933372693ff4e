/** Where things lie: the same code runs from source (`server/…`, tests, dev) and bundled (`dist/server/main.js`). */
import { existsSync } from 'node:fs';
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
/** What an archive of `npm run release` has at its top, and tells of itself there. */
export const releaseFile = join(projectRoot, 'release.json');
/** What to do where a part of the installation is missing or damaged. */
export const reinstall = existsSync(releaseFile) ? 'Unpack the release again.' : 'Run: npm ci';
/** A database without data that a release brings along, made by the same migrations. */
export const emptyDatabase = join(projectRoot, 'empty-database');
/** The built console. */
export const defaultWebRoot = join(projectRoot, 'dist', 'web');
