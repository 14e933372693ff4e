/**
 * Finds PostgreSQL 15 or newer for the tests, in POSTGRES_BIN (a folder with `initdb` and `postgres`), Debian's or
 * Homebrew's folders, or on the path. Only its programs are used: the tests make a cluster of their own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { say } from './setup.mjs';

const OLDEST = 15;
const DEBIAN = '/usr/lib/postgresql';

/** The message if PostgreSQL is missing. */
export const WITHOUT_POSTGRES = `No PostgreSQL ${OLDEST} or newer found: tests run only on the embedded database. Install one (Debian: apt-get install postgresql), or set POSTGRES_BIN to the folder of its programs.`;

const versionIn = (folder) => {
  if (!['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))) return 0;
  const { stdout } = spawnSync(join(folder, 'initdb'), ['--version'], { encoding: 'utf8' });
  return Number(/PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
};

/** The folder of PostgreSQL's programs; undefined if there is none. @returns {string | undefined} */
export function findPostgres() {
  const given = process.env['POSTGRES_BIN'];
  if (given) return given;
  const debian = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN, version, 'bin'))
    : [];
  const homebrew = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((folder) =>
    ['postgresql', 'postgresql@18', 'postgresql@17', 'postgresql@16', 'postgresql@15'].map((name) =>
      join(folder, name, 'bin'),
    ),
  );
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...debian, ...homebrew, ...onPath].find((folder) => versionIn(folder) >= OLDEST);
}

/** Installs Debian's package (as root) if PostgreSQL is missing. Says so if it is still missing. */
export function ensurePostgres() {
  if (findPostgres() !== undefined) return;
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    say('Installing PostgreSQL for the tests…');
    spawnSync('apt-get', ['update'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'postgresql'], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  if (findPostgres() === undefined) say(WITHOUT_POSTGRES);
}
