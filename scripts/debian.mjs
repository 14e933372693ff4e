/** Debian's packages, unpacked into a folder: nothing is installed, and no service is started. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const apt = (args, cwd) =>
  spawnSync('apt-get', args, { cwd, stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });

/**
 * Fetches packages and unpacks them into a folder, which has them all or is as it was. Leaves it to the caller to look whether they came.
 * @param {string} folder
 * @param {readonly string[]} packages
 * @param {{ alone?: boolean }} [options] `alone`: without what they need, where the system has not got it
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
 * What a program of unpacked packages needs in its environment: where their libraries are.
 * @param {string} folder
 * @param {string} [deeper] a folder in which a package has some of its own
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
