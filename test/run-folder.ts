/** A folder for what the tests of a run write, in `TEST_FOLDER`; whatever they leave there goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function makeRunFolder(): Promise<(() => Promise<void>) | undefined> {
  // Every project of a run comes here.
  if (process.env['TEST_FOLDER'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'parlance-tests-'));
  process.env['TEST_FOLDER'] = folder;
  return async () => {
    delete process.env['TEST_FOLDER'];
    await rm(folder, { recursive: true, force: true });
  };
}
