/** Unpacks Debian's packages into a folder, without installing them or starting services. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const apt = (args, cwd) =>
  spawnSync('apt-get', args, { cwd, stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });

/**
 * Fetches packages, and replaces the folder by their unpacked files. Does not check that they came; the caller has to.
 * @param {string} folder
 * @param {readonly string[]} packages
 * @param {{ alone?: boolean }} [options] `alone`: without the packages that they depend on
 */
export function unpackPackages(folder, packages, { alone = false } = {}) {
  const aside = `${folder}.${process.pid}`;
  const fetched = join(aside, 'packages');
  mkdirSync(join(fetched, 'partial'), { recursive: true });
  if (process.getuid?.() === 0) apt(['update']);
  const options = ['-o', 'Debug::NoLocking=true', '-o', 'APT::Sandbox::User=root'];
  if (alone) apt(['download', ...options, ...packages], fetched);
  else
    apt([
      'install',
      '-y',
      '--no-install-recommends',
      '--download-only',
      '-o',
      `Dir::Cache::archives=${fetched}`,
      ...options,
      ...packages,
    ]);
  for (const name of readdirSync(fetched).filter((file) => file.endsWith('.deb')))
    spawnSync('dpkg', ['-x', join(fetched, name), aside], { stdio: 'ignore' });
  rmSync(fetched, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(aside, folder);
}

/**
 * The environment variables by which a program of unpacked packages finds its libraries.
 * @param {string} folder
 * @param {string} [deeper] a subfolder in which a package has further libraries
 */
export function librariesOf(folder, deeper) {
  const libraries = join(folder, 'usr/lib');
  if (!existsSync(libraries)) return {};
  const machines = readdirSync(libraries)
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(libraries, name));
  const own = deeper === undefined ? [] : machines.map((machine) => join(machine, deeper));
  return { LD_LIBRARY_PATH: [...machines, ...own].join(':') };
}
