/**
 * Finds programs that tests run. Fetches missing ones on Debian, by unpacking packages into `.cache` without installing
 * them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, unpackPackages } from './debian.mjs';
import { root, say } from './setup.mjs';

const PROGRAMS = {
  promtool: { at: 'usr/bin/promtool', asks: ['--version'], package: 'prometheus', alone: true },
  haproxy: { at: 'usr/sbin/haproxy', asks: ['-v'], package: 'haproxy' },
  pgbouncer: { at: 'usr/sbin/pgbouncer', asks: ['--version'], package: 'pgbouncer' },
  faketime: { at: 'usr/bin/faketime', asks: ['--version'], package: 'faketime' },
  'systemd-analyze': { at: 'usr/bin/systemd-analyze', asks: ['--version'], package: 'systemd', libraries: 'systemd' },
};

const unpackedOf = (name) => join(root, '.cache', name);

/** The message for a missing program. */
const without = (name) =>
  `No ${name} found: tests that need it fail. On Debian \`npm run test:all\` fetches it; elsewhere install ${PROGRAMS[name].package}.`;

function find(name) {
  const { at, asks, libraries } = PROGRAMS[name];
  const unpacked = unpackedOf(name);
  return [
    { command: name, env: {} },
    { command: join('/', at), env: {} },
    ...(existsSync(unpacked) ? [{ command: join(unpacked, at), env: librariesOf(unpacked, libraries) }] : []),
  ].find(
    ({ command, env }) => spawnSync(command, asks, { env: { ...process.env, ...env }, stdio: 'ignore' }).status === 0,
  );
}

/** Finds a program. @throws Error that says how to install it if it is missing */
export function findFetched(name) {
  const program = find(name);
  if (program === undefined) throw new Error(without(name));
  return program;
}

/** The library that gives a program a wrong clock. @throws Error that says how to install it if it is missing */
export function findFaketimeLibrary() {
  const path = ['/usr/lib', join(unpackedOf('faketime'), 'usr/lib')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => ['', ...readdirSync(folder)].map((name) => join(folder, name, 'faketime/libfaketimeMT.so.1')))
    .find((library) => existsSync(library));
  if (path === undefined) throw new Error(without('faketime'));
  return path;
}

/** Fetches missing programs if possible, and names those that are still missing. */
export function ensureFetched() {
  for (const [name, { package: wanted, alone = false }] of Object.entries(PROGRAMS)) {
    if (find(name) !== undefined) continue;
    if (existsSync('/etc/debian_version')) {
      say(`Fetching ${name} for the tests (once)…`);
      unpackPackages(unpackedOf(name), [wanted], { alone });
    }
    if (find(name) === undefined) say(without(name));
  }
}
