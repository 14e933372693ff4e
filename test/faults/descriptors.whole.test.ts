import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '../server/template.ts';
import { buildServer } from './build.ts';
import { run } from './built.ts';

let main: string;
let dataDir: string;
beforeAll(() => {
  main = buildServer();
  dataDir = join(mkdtempSync(join(testFolder, 'descriptors-')), 'data');
});

/** How a start that must fail ends: one text on standard error, and nothing that looks like a stack. */
async function refusal(env: Record<string, string>, before?: readonly string[]): Promise<string> {
  const started = run(main, { DATA_DIR: dataDir, ...env }, before);
  const code = await started.exit;
  expect([code, started.err().trim().split('\n')]).toEqual([1, [expect.stringMatching(/\.$|--force$|npm ci$/)]]);
  return started.err().trim();
}

describe('a start that cannot be', { timeout: 60_000 }, () => {
  it.each([24, 64, 256, 1023])('DAT-11 too few file descriptors (%i): says how to raise the limit', async (limit) => {
    expect(await refusal({}, ['prlimit', `--nofile=${limit}:${limit}`])).toBe(
      `This process may have ${limit} files open at once, but the server needs 1024. Raise the limit (ulimit -n 4096, or LimitNOFILE= of the service).`,
    );
  });

  it('DAT-11 a missing part of the build, or of the installation: says how to make it', async () => {
    const page = join(dirname(dirname(main)), 'web/index.html');
    await rename(page, `${page}.away`);
    expect(await refusal({})).toBe(`The build is not complete: ${page} is missing. Run: npm run build -- --force`);
    await rename(`${page}.away`, page);
    const packages = join(dirname(dirname(dirname(main))), 'node_modules');
    await rename(packages, `${packages}.away`);
    expect(await refusal({})).toMatch(/^The installation is not complete: Cannot find package .* Run: npm ci$/);
    await rename(`${packages}.away`, packages);
  });

  it.each([
    [
      'HOST',
      { HOST: 'no-such-host.invalid' },
      'HOST no-such-host.invalid is neither an address of this machine nor a name for one.',
    ],
    ['HOST', { HOST: '203.0.113.9' }, 'HOST 203.0.113.9 is not an address of this machine.'],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/x', SECRET_KEY: 'k'.repeat(32) },
      'The database at DATABASE_URL does not answer. Start it, or correct host and port.',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'postgres://a:b@no-such-host.invalid/x', SECRET_KEY: 'k'.repeat(32) },
      'The host name in DATABASE_URL ',
    ],
  ])('DAT-11 %s %j', async (_name, env, text) => {
    expect(await refusal(env)).toContain(text);
  });

  it('DAT-11 a port that is in use: names it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    // The address of a TCP server that listens.
    const { port } = other.address() as AddressInfo;
    try {
      expect(await refusal({ PORT: String(port) })).toBe(
        `Port ${port} of 127.0.0.1 is in use. Stop what uses it, or set PORT to another one.`,
      );
    } finally {
      other.close();
    }
  });
});
