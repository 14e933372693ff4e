/** The built server of the sources as they are, or of others. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '#server/platform/paths.ts';
import { testFolder } from '../server/template.ts';

/** Builds the server of some sources into a folder of the tests, with a console that is one empty page. @returns its main file */
export function buildServer(sources = projectRoot): string {
  const folder = mkdtempSync(join(testFolder, 'built-'));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      '-e',
      'import(process.argv[1]).then((m) => m.buildServer(process.argv[2]))',
      join(sources, 'scripts/build.mjs'),
      folder,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  mkdirSync(join(folder, 'dist/web'));
  writeFileSync(join(folder, 'dist/web/index.html'), '<!doctype html>');
  return join(folder, 'dist/server/main.js');
}
