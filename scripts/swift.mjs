/**
 * Finds OpenStack Swift, whose S3 interface the tests of buckets run on, fetching it where it can: installed on the system, or
 * Debian's packages unpacked into `.cache/swift`. Nothing is installed, and no service is started; test/s3 makes a server of its own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, unpackPackages } from './debian.mjs';
import { root, say } from './setup.mjs';

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];
const PYTHON = '/usr/bin/python3';
const UNPACKED = join(root, '.cache/swift');
const LOADS = `
import eventlet, pkg_resources
import swift.common.middleware.s3api.s3api, swift.proxy.server, swift.obj.server, swift.container.server, swift.account.server
pkg_resources.load_entry_point('swift', 'paste.app_factory', 'proxy')
`;

/** What a person reads where there is none. */
export const WITHOUT_SWIFT = `No OpenStack Swift found: tests of buckets fail. On Debian \`npm run test:all\` fetches it; else install it (${PACKAGES.join(' ')}).`;

/** Where the unpacked packages have their modules and libraries. */
function unpackedPaths(folder) {
  const modules = join(folder, 'usr/lib/python3/dist-packages');
  return existsSync(modules) ? { PYTHONPATH: modules, ...librariesOf(folder) } : {};
}

/** The Python that has Swift, and what it needs in its environment; undefined when there is none. */
export function findSwift() {
  return [{}, unpackedPaths(UNPACKED)]
    .map((env) => ({ python: PYTHON, env }))
    .find(
      ({ python, env }) =>
        spawnSync(python, ['-W', 'ignore', '-c', LOADS], { env: { ...process.env, ...env }, stdio: 'ignore' })
          .status === 0,
    );
}

/** Fetches one where none is there and that is possible. Says so when there is none after all. */
export function ensureSwift() {
  if (findSwift() !== undefined) return;
  if (existsSync('/etc/debian_version')) {
    say('Fetching OpenStack Swift for the tests (once)…');
    unpackPackages(UNPACKED, PACKAGES);
  }
  if (findSwift() === undefined) say(WITHOUT_SWIFT);
}
