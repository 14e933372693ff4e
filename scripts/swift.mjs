/**
 * Finds OpenStack Swift, whose S3 interface the bucket tests use: the system's, or Debian's packages unpacked into
 * `.cache/swift` without installing them. test/s3 starts a server of its own.
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

/** The message if Swift is missing. */
export const WITHOUT_SWIFT = `No OpenStack Swift found: recordings in a bucket are not tested. On Debian \`npm run test:all\` fetches it; elsewhere install it (${PACKAGES.join(' ')}).`;

/** Environment variables that lead to the unpacked packages' modules and libraries. */
function unpackedPaths(folder) {
  const modules = join(folder, 'usr/lib/python3/dist-packages');
  return existsSync(modules) ? { PYTHONPATH: modules, ...librariesOf(folder) } : {};
}

/** The Python that has Swift, and its environment variables; undefined if there is none. */
export function findSwift() {
  return [{}, unpackedPaths(UNPACKED)]
    .map((env) => ({ python: PYTHON, env }))
    .find(
      ({ python, env }) =>
        spawnSync(python, ['-W', 'ignore', '-c', LOADS], { env: { ...process.env, ...env }, stdio: 'ignore' })
          .status === 0,
    );
}

/** Fetches Swift if it is missing and that is possible. Says so if it is still missing. */
export function ensureSwift() {
  if (findSwift() !== undefined) return;
  if (existsSync('/etc/debian_version')) {
    say('Fetching OpenStack Swift for the tests (once)…');
    unpackPackages(UNPACKED, PACKAGES);
  }
  if (findSwift() === undefined) say(WITHOUT_SWIFT);
}
