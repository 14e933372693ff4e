/** Reads the test runners' reports: counts, failures with the command that repeats each, and times. */
import { relative } from 'node:path';

/** If more tests than this pass only at the second try, the run fails. */
const SECOND_TRIES = 3;

const firstLine = (text) =>
  // oxlint-disable-next-line no-control-regex -- colours of the terminal
  (text ?? 'did not run').split('\n')[0].replaceAll(/\u001B\[\d+m/g, '');
/** Quotes a text as one word for a shell. */
export const quoted = (text) => (/^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);
/** Escapes a title, which both runners take as a regular expression. */
const exactly = (title) => title.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
/** Adds the suite to a command, because a long journey does more in the whole suite than in the gate. */
const inSuite = (command) => (process.env['SUITE'] ? `SUITE=${process.env['SUITE']} ${command}` : command);
const seconds = (ms) => Math.round(ms / 100) / 10;

/**
 * Reads Vitest's JSON report. A skipped test counts as failed.
 * @returns {{ passed: number, failures: { name: string, again: string }[], secondTries: string[], tests: { name: string, seconds: number }[] }}
 */
export function readVitest({ testResults }, root) {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  const broken = testResults
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every(isPassed))
    .map(({ name, message }) => ({
      name: `${relative(root, name)}: ${firstLine(message)}`,
      again: inSuite(`npx vitest run ${relative(root, name)}`),
    }));
  const failed = tests
    .filter((test) => !isPassed(test))
    .map(({ file, fullName, failureMessages }) => ({
      name: `${file}: ${fullName}: ${firstLine(failureMessages[0])}`,
      again: inSuite(`npx vitest run ${file} -t ${quoted(`^${exactly(fullName)}$`)}`),
    }));
  return {
    passed: tests.filter(isPassed).length,
    failures: [...broken, ...failed],
    secondTries: [],
    tests: tests.map(({ file, fullName, duration }) => ({
      name: `${file}: ${fullName}`,
      seconds: seconds(duration ?? 0),
    })),
  };
}

const isPassed = ({ status }) => status === 'passed';

/** Reads Playwright's JSON report, like {@link readVitest}. Tests that pass at the second try count as passed. */
export function readPlaywright({ suites = [], errors = [] }) {
  const tests = suites.flatMap(specsOf).flatMap(({ file, line, title, tests: projects }) =>
    projects.map(({ status, results }) => ({
      name: `${file}:${line}: ${title}`,
      // With the title, because tests made by a loop share a line.
      again: `npm run build && ${inSuite(`npx playwright test ${file}:${line} -g ${quoted(`${exactly(title)}$`)}`)}`,
      status,
      error: firstLine(results.flatMap((result) => result.errors)[0]?.message),
      seconds: seconds(results.reduce((sum, { duration }) => sum + duration, 0)),
    })),
  );
  const flaky = tests.filter(({ status }) => status === 'flaky');
  const failed = tests.filter(({ status }) => status !== 'expected' && status !== 'flaky');
  return {
    passed: tests.length - failed.length,
    failures: [
      ...errors.map(({ message }) => ({ name: firstLine(message), again: inSuite('npx playwright test') })),
      ...failed.map(({ name, error, again }) => ({ name: `${name}: ${error}`, again })),
    ],
    secondTries: flaky.map(({ name, error }) => `${name}: ${error}`),
    tests,
  };
}

const specsOf = ({ suites = [], specs = [] }) => [...specs, ...suites.flatMap(specsOf)];

/**
 * The result of a runner. Adds a failure if the runner left no report, failed without a failed test, or ran no test.
 * @param {() => ReturnType<typeof readVitest>} read reads its report
 */
export function resultOf({ name, again, isOk, read }) {
  let result = { passed: 0, failures: [], secondTries: [], tests: [] };
  let why = isOk ? 'ran no test' : 'failed without a failed test';
  try {
    result = read();
  } catch (error) {
    why = `left no report: ${error.message}`;
  }
  if (result.failures.length > 0 || (isOk && result.passed > 0)) return result;
  return { ...result, failures: [{ name: `${name} ${why}`, again }] };
}

/** One failure if too many tests needed a second try, else none. */
export const tooManySecondTries = (names) =>
  names.length > SECOND_TRIES
    ? [
        {
          name: `${names.length} tests needed a second try; more than ${SECOND_TRIES} fail the run`,
          again: inSuite(
            `npm run flaky ${[...new Set(names.map((name) => /^[^:]+:\d+/.exec(name)?.[0] ?? ''))].join(' ')}`.trim(),
          ),
        },
      ]
    : [];
