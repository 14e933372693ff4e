import { expect, it } from 'vitest';
import * as v from 'valibot';
import { EXAMPLES } from '#contract/api/examples.ts';
import { Dashboard } from '#contract/dashboard.ts';
import { LogPage } from '#contract/logs.ts';
import { Metrics } from '#contract/metrics.ts';

/** What a server of the version before does not answer. */
const NEW = ['refused', 'is_exact', 'refusal', 'steps'];

it.each([
  ['the dashboard', Dashboard],
  ['logs', LogPage],
  ['metrics', Metrics],
] as const)('OPS-22: a page reads %s of a server of the version before', (_name, schema) => {
  const example = JSON.stringify(EXAMPLES.get(schema));
  expect(NEW.some((name) => example.includes(`"${name}"`))).toBe(true);
  const before: unknown = JSON.parse(example, (name, value: unknown) => (NEW.includes(name) ? undefined : value));
  expect(v.safeParse(schema, before).success).toBe(true);
});
