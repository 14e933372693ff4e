import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { readPlaywright, readVitest, resultOf, tooManySecondTries } from '../scripts/report.mjs';
import { filesOnBothDatabases } from './postgres/files.ts';

const files = (folder: string) =>
  readdirSync(join(projectRoot, 'test', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', folder, name));

describe('the name of a file says which suite it is in', () => {
  it('TST-01: on PostgreSQL the gate runs only what takes a database', () => {
    const both = new Set(filesOnBothDatabases());
    expect(files('').filter((file) => file.endsWith('.postgres.test.ts') && !both.has(file))).toEqual([]);
  });

  it('TST-01: what only PostgreSQL can pass says whether the gate runs it', () => {
    expect(files('postgres').filter((file) => !/\.(postgres|whole)\.test\.ts$/.test(file))).toEqual([]);
  });
});

/** Playwright's report of one test, whose tries ended with these messages; undefined is a try that passed. */
const chromium = (status: string, ...errors: (string | undefined)[]) => ({
  suites: [
    {
      specs: [
        {
          file: 'a.journey.ts',
          line: 3,
          title: 'opens',
          tests: [
            {
              status,
              results: errors.map((message) => ({ duration: 500, errors: message === undefined ? [] : [{ message }] })),
            },
          ],
        },
      ],
    },
  ],
});
const empty = { passed: 0, failures: [], secondTries: [], tests: [] };

describe('what a run says at its end', () => {
  it('TST-02: a browser test that passes at its second try counts as passed, and is named with its error', () => {
    expect(readPlaywright(chromium('flaky', 'too late\nat line 4', undefined))).toEqual({
      passed: 1,
      failures: [],
      secondTries: ['a.journey.ts:3: opens: too late'],
      tests: [expect.objectContaining({ seconds: 1 })],
    });
  });

  it('TST-02: four second tries are a failure, three are not', () => {
    expect(tooManySecondTries(['a', 'b', 'c'])).toEqual([]);
    expect(tooManySecondTries(['a', 'b', 'c', 'd'])).toEqual([
      { name: '4 tests needed a second try; more than 3 fail the run', again: 'npm run flaky' },
    ]);
  });

  it.each(['unexpected', 'skipped'])(
    'TST-03: a browser test that is %s is a failure, with what repeats it',
    (status) => {
      expect(readPlaywright(chromium(status, 'gone')).failures).toEqual([
        { name: 'a.journey.ts:3: opens: gone', again: 'npx playwright test a.journey.ts:3' },
      ]);
    },
  );

  it('TST-03: so is a test of Vitest that failed or was skipped, and a file that could not be loaded', () => {
    const report = {
      testResults: [
        {
          name: '/home/a.test.ts',
          status: 'failed',
          assertionResults: [
            { status: 'passed', fullName: 'adds', failureMessages: [], duration: 7 },
            { status: 'failed', fullName: "it's red", failureMessages: ['Error: 1 is not 2\nat a'], duration: 7 },
            { status: 'pending', fullName: 'waits', failureMessages: [] },
          ],
        },
        { name: '/home/b.test.ts', status: 'failed', message: 'no module', assertionResults: [] },
      ],
    };
    const { passed, failures } = readVitest(report, '/home');
    expect([passed, failures]).toEqual([
      1,
      [
        { name: 'b.test.ts: no module', again: 'npx vitest run b.test.ts' },
        {
          name: "a.test.ts: it's red: Error: 1 is not 2",
          again: String.raw`npx vitest run a.test.ts -t 'it'\''s red'`,
        },
        { name: 'a.test.ts: waits: did not run', again: `npx vitest run a.test.ts -t 'waits'` },
      ],
    ]);
  });

  it.each([
    [
      'left no report: no file',
      false,
      () => {
        throw new Error('no file');
      },
    ],
    ['failed without a failed test', false, () => ({ ...empty, passed: 4 })],
    ['ran no test', true, () => empty],
  ])('TST-03: a runner that %s is one failure', (why, isOk, read) => {
    expect(resultOf({ name: 'Vitest', again: 'npm test', isOk, read }).failures).toEqual([
      { name: `Vitest ${why}`, again: 'npm test' },
    ]);
  });
});
