/**
 * Installs Debian's packages (as root) of programs that tests of code snippets run: curl, jq, and Python with requests
 * and websockets. Elsewhere those tests fail, and name what is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { say } from './setup.mjs';

const PACKAGES = ['curl', 'jq', 'python3', 'python3-requests', 'python3-websockets'];

const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const hasPython = () =>
  ['python3', '/usr/bin/python3'].some((path) => works(path, ['-c', 'import requests, websockets']));

/** Installs missing programs if possible. */
export function ensurePrograms() {
  if (works('curl', ['--version']) && works('jq', ['--version']) && hasPython()) return;
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return;
  say('Installing curl, jq and Python libraries for the tests…');
  spawnSync('apt-get', ['update'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], { stdio: 'inherit' });
}
