/**
 * Paths of the installation, for code that runs from source (`server/…`, tests, development) or bundled
 * (`dist/server`).
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
// This file is one folder deeper in the source, and also in a build, which puts shared code into `chunks`.
const here = ['platform', 'chunks'].includes(basename(folder)) ? dirname(folder) : folder;

/** Whether the server runs from its build. */
export const bundled = basename(here) === 'server' && basename(dirname(here)) === 'dist';
/** Folder of the server's files: `dist/server` if bundled, else `server`. */
export const serverRoot = here;
/** Folder of package.json. */
export const projectRoot = bundled ? dirname(dirname(here)) : dirname(here);
/** Describes a release; only archives of `npm run release` have it. */
export const releaseFile = join(projectRoot, 'release.json');
/** Advice for error messages if a part of the installation is missing or damaged. */
export const reinstall = existsSync(releaseFile) ? 'Unpack the release again.' : 'Run: npm ci';
/** A release's empty database, made by the same migrations. */
export const emptyDatabase = join(projectRoot, 'empty-database');
/** The built console. */
export const defaultWebRoot = join(projectRoot, 'dist', 'web');
