import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findPostgres, WITHOUT_POSTGRES } from './scripts/postgres.mjs';
import { filesOnBothDatabases, ON_CLUSTER, ON_S3, ONLY_POSTGRES } from './test/postgres/files.ts';
import { GATE_ON_POSTGRES, isGate, ONLY_WHOLE } from './test/suites.ts';

const TESTS = ['test/**/*.test.ts', 'test/**/*.test.tsx', 'model-tests/**/*.test.ts'];
/** Files that replace modules, which others of the process have loaded. */
const ISOLATED = ['test/server/engine/decode/decode-stream.test.ts', 'test/server/identity/unknown-email.test.ts'];
/** Files that take long: of each project they begin, so that no worker is left with one at the end; the longest first. */
const LONG = [
  /\/accuracy\.whole\.test\.ts$/,
  /\/(texts|guessing|release|pool|robustness|live-fuzz)\.whole\.test\.ts$/,
  /\/(stream|recognizer|live-recognizer|snippets|away)\.whole\.test\.ts$/,
  /\/(access|recognizer|main)\.test\.ts$/,
  /\/(processes|jobs)\.postgres\.test\.ts$/,
];
/**
 * One project after the other: a worker that gets a file of another project ends, and the next one loads all modules anew. Last the one
 * of many short files, so that all workers end at the same time.
 */
const PROJECTS = ['isolated', 'shared', 's3', 'cluster', 'postgres'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification): number => {
      const long = LONG.findIndex((names) => names.test(moduleId));
      return PROJECTS.indexOf(project.name) * (LONG.length + 1) + (long < 0 ? LONG.length : long);
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
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
        include: isGate ? [GATE_ON_POSTGRES] : filesOnBothDatabases(),
        exclude: ISOLATED,
        isolate: false,
        env: { TEST_DATABASE: 'postgres' },
        globalSetup: ['test/run-folder.ts', 'test/postgres/setup.ts'],
      },
    },
  ];
}

/** What the gate leaves to the whole suite, or runs on PostgreSQL instead. */
function elsewhere(): readonly string[] {
  if (!isGate) return [];
  return findPostgres() === undefined ? [ONLY_WHOLE] : [ONLY_WHOLE, GATE_ON_POSTGRES];
}

/** Recordings in a bucket: on a server of its own, and on PostgreSQL where there is one, which several servers can share. */
function onS3() {
  const hasPostgres = findPostgres() !== undefined;
  return {
    extends: true as const,
    test: {
      name: 's3',
      include: [ON_S3],
      isolate: false,
      ...(hasPostgres && { env: { TEST_DATABASE: 'postgres' } }),
      globalSetup: ['test/run-folder.ts', ...(hasPostgres ? ['test/postgres/setup.ts'] : []), 'test/s3/setup.ts'],
    },
  };
}

export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: 'test/run-folder.ts',
    // One more than two cores, because files wait for a database, a timer or another process.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    // Generous, for a shared machine that takes its cores away for a while; no test waits for them. No test of Vitest's is tried twice.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share a process, and with it the environment.
    setupFiles: 'test/unstub.ts',
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      // To start a process and load the modules would cost most files more than their tests.
      {
        extends: true,
        test: {
          name: 'shared',
          include: TESTS,
          exclude: ['**/node_modules/**', ONLY_POSTGRES, ON_S3, ON_CLUSTER, ...ISOLATED, ...elsewhere()],
          isolate: false,
        },
      },
      ...onPostgres(),
      ...(isGate
        ? []
        : [onS3(), { extends: true as const, test: { name: 'cluster', include: [ON_CLUSTER], isolate: false } }]),
    ],
  },
});
