import { beforeEach, expect, it, vi } from 'vitest';
import type playwrightConfig from '../playwright.config.ts';
import { readPlaywright, readVitest, resultOf, tooManySecondTries } from '../scripts/report.mjs';
import { sourcesIn } from './lint/imports.ts';
import { filesOnBothDatabases } from './postgres/files.ts';

const tests = sourcesIn('test').filter((name) => name.endsWith('.test.ts'));

/** As the table in docs/testing.md has them: what no row takes runs nowhere, or in the wrong suite. */
const ROWS = [
  /^(test|model-tests)\/[^.]+(\.paths)?\.test\.tsx?$/,
  /^test\/[^.]+\.(whole|postgres)\.test\.ts$/,
  /^test\/journeys\/[^.]+\.journey\.ts$/,
  /^model-tests\/browser\/[^.]+\.chromium\.ts$/,
];
it('TST-01: every file of tests has a name and a folder that tell its suite', () => {
  const named = ['src', 'machines', 'contract', 'server', 'bench', 'scripts', 'test', 'model-tests']
    .flatMap(sourcesIn)
    .filter((name) => /\.(test|paths|whole|postgres|journey|chromium)\.|[-.](tests?|spec|journeys)\.tsx?$/.test(name));
  expect(named.length).toBeGreaterThan(300);
  expect(named.filter((name) => ROWS.filter((row) => row.test(name)).length !== 1)).toEqual([]);
});

it('TST-01: on PostgreSQL the gate runs only what takes a database; what only PostgreSQL can pass says whether it does', () => {
  const both = new Set(filesOnBothDatabases());
  expect(tests.filter((name) => name.endsWith('.postgres.test.ts') && !both.has(name))).toEqual([]);
  expect(tests.filter((name) => /^test\/postgres\/(?!.*\.(postgres|whole)\.test)/.test(name))).toEqual([]);
});

// What repeats a failure runs as much as the run did.
beforeEach(() => void vi.stubEnv('SUITE', 'gate'));

/** Playwright's report of one test, whose tries ended with these errors. */
const chromium = (status: string, ...tries: { message: string }[][]) => {
  const results = tries.map((errors) => ({ duration: 500, errors }));
  return {
    suites: [{ specs: [{ file: 'a.journey.ts', line: 3, title: 'opens (twice)', tests: [{ status, results }] }] }],
  };
};
const failed = (fullName: string, message?: string) => ({
  status: message === undefined ? 'pending' : 'failed',
  fullName,
  failureMessages: message === undefined ? [] : [message],
  duration: 7,
});

it('TST-02: a browser test that passes at its second try counts as passed, and is named with its error', () => {
  expect(readPlaywright(chromium('flaky', [{ message: 'too late\nat line 4' }], []))).toEqual({
    passed: 1,
    failures: [],
    secondTries: ['a.journey.ts:3: opens (twice): too late'],
    tests: [expect.objectContaining({ seconds: 1 })],
  });
});

it.each([
  ['in CI a browser test gets a second try', 'true', 1],
  ['elsewhere it gets none', '', 0],
])('TST-02: %s', async (_, CI, retries) => {
  vi.stubEnv('CI', CI);
  // Read anew each time.
  const path = `../playwright.config.ts?retries=${retries}`;
  const { default: config } = (await import(path)) as { default: typeof playwrightConfig };
  expect(config.retries).toBe(retries);
  expect(config.projects?.filter((project) => 'retries' in project)).toEqual([]);
});

it('TST-02: a test of Vitest’s gets none, and runs once', async ({ task }) => {
  const { default: config } = await import('../vitest.config.ts');
  expect([task.retry ?? 0, task.repeats ?? 0]).toEqual([0, 0]);
  expect(JSON.stringify(config)).not.toMatch(/"(retry|repeats)":/);
});

it('TST-02: four second tries are a failure, three are not', () => {
  expect(tooManySecondTries(['a', 'b', 'c'])).toEqual([]);
  expect(
    tooManySecondTries(['a.journey.ts:3: a: late', 'b.journey.ts:4: b', 'b.journey.ts:4: c', 'd.journey.ts:9: d']),
  ).toEqual([
    {
      name: '4 tests needed a second try; more than 3 fail the run',
      again: 'SUITE=gate npm run flaky a.journey.ts:3 b.journey.ts:4 d.journey.ts:9',
    },
  ]);
});

it.each(['unexpected', 'skipped'])('TST-03: a browser test that is %s is a failure, with what repeats it', (status) => {
  expect(readPlaywright(chromium(status, [{ message: 'gone' }])).failures).toEqual([
    {
      name: 'a.journey.ts:3: opens (twice): gone',
      again: String.raw`npm run build && SUITE=gate npx playwright test a.journey.ts:3 -g 'opens \(twice\)$'`,
    },
  ]);
});

it('TST-03: so is a test of Vitest that failed or was skipped, and a file that could not be loaded', () => {
  const passed = { status: 'passed', fullName: 'adds', failureMessages: [], duration: 7 };
  const testResults = [
    {
      name: '/home/a.test.ts',
      status: 'failed',
      assertionResults: [passed, failed("it's red?", 'Error: 1 is not 2\nat a'), failed('waits')],
    },
    { name: '/home/b.test.ts', status: 'failed', message: 'no module', assertionResults: [] },
  ];
  expect(readVitest({ testResults }, '/home')).toMatchObject({
    passed: 1,
    failures: [
      { name: 'b.test.ts: no module', again: 'SUITE=gate npx vitest run b.test.ts' },
      {
        name: "a.test.ts: it's red?: Error: 1 is not 2",
        again: String.raw`SUITE=gate npx vitest run a.test.ts -t '^it'\''s red\?$'`,
      },
      { name: 'a.test.ts: waits: did not run', again: `SUITE=gate npx vitest run a.test.ts -t '^waits$'` },
    ],
  });
});

const empty = { passed: 0, failures: [], secondTries: [], tests: [] };
const unread = () => {
  throw new Error('no file');
};
it.each([
  ['left no report: no file', false, unread],
  ['failed without a failed test', false, () => ({ ...empty, passed: 4 })],
  ['ran no test', true, () => empty],
])('TST-03: a runner that %s is one failure', (why, isOk, read) => {
  expect(resultOf({ name: 'Vitest', again: 'npm test', isOk, read }).failures).toEqual([
    { name: `Vitest ${why}`, again: 'npm test' },
  ]);
});
