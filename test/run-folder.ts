/** A folder for what the tests of a run write; whatever they leave there goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext { testFolder: string }
}

export default async function makeRunFolder(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-tests-'));
  project.provide('testFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
