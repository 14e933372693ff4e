import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('path tests for a browser are complete in every file, before a browser starts', async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url));
  const { VITEST: _vitest, ...env } = process.env;
  const load = promisify(execFile)(process.execPath, [cli, 'test', '--list', 'model-tests/browser'], {
    cwd: root,
    env,
    maxBuffer: 16 * 1_048_576,
  });
  // What a file lacks is in the list's output.
  const listed = await load.then(
    ({ stdout }) => stdout,
    (error: unknown) => String(typeof error === 'object' && error !== null ? Reflect.get(error, 'stdout') : error),
  );
  expect(listed).toMatch(/Total: [1-9]\d* tests in [1-9]\d* files/);
  expect(listed).not.toContain('Error:');
}, 240_000);
