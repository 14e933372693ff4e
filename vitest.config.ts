import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findPostgres, WITHOUT_POSTGRES } from './scripts/postgres.mjs';
import { filesOnBothDatabases, ONLY_POSTGRES } from './test/postgres/files.ts';

const TESTS = ['test/**/*.test.ts', 'test/**/*.test.tsx', 'model-tests/**/*.test.ts'];
/** Files that replace modules, which others of the process have loaded. */
const ISOLATED = ['test/server/speech/decode-stream.test.ts'];
/** Files that take long: they begin, so that no worker is left with one at the end. */
const LONG =
  /\/test\/(recipe\/recipe|attacks\/(access|texts|guessing)|server\/(speech\/(pool|accuracy|stream|recognizer|robustness)|v1\/(jobs|live-recognizer|recognizer|live-fuzz)|core\/(main|embedded)|snippets|upstream\/main))\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      project.config.isolate ? 0 : LONG.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** The same tests once more, with databases of a real PostgreSQL. */
function onPostgres() {
  if (findPostgres() === undefined) {
    if (process.env['CI']) throw new Error(WITHOUT_POSTGRES);
    process.stderr.write(`${WITHOUT_POSTGRES}\n`);
    return [];
  }
  return [
    {
      extends: true as const,
      test: {
        name: 'postgres',
        include: filesOnBothDatabases(),
        isolate: false,
        env: { TEST_DATABASE: 'postgres' },
        globalSetup: ['test/run-folder.ts', 'test/postgres/setup.ts'],
      },
    },
  ];
}

export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: 'test/run-folder.ts',
    // Two cores, and the engine's files load a model each.
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // Generous, for a shared machine that takes its cores away for a while; no test waits for them. Nothing is tried twice.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Files share a process, and with it the environment.
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      // To start a process and load the modules would cost most files more than their tests.
      {
        extends: true,
        test: {
          name: 'shared',
          include: TESTS,
          exclude: ['**/node_modules/**', ONLY_POSTGRES, ...ISOLATED],
          isolate: false,
        },
      },
      ...onPostgres(),
    ],
  },
});
