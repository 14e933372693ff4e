/** What operators load into Prometheus and Grafana: it must work there, and go by what the server tells. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createLog } from '#server/platform/log.ts';
import { METRICS } from '#server/platform/telemetry/catalogue.ts';
import { prometheusMeters } from '#server/platform/telemetry/prometheus.ts';
import { findFetched } from '../scripts/fetched.mjs';
import { read } from './server/scraped.ts';
import { testFolder } from './server/template.ts';

const file = (name: string): string => readFileSync(name, 'utf8');
const Alert = v.object({
  alert: v.string(),
  expr: v.string(),
  labels: v.object({ severity: v.picklist(['page', 'ticket']) }),
  annotations: v.object({ runbook: v.string() }),
});
const Rules = v.object({ groups: v.tuple([v.object({ rules: v.array(Alert) })]) });
const alerts = v.parse(Rules, parse(file('ops/alerts.yaml'))).groups[0].rules;

const Told = v.object({ alertname: v.string(), exp_alerts: v.nullable(v.array(v.unknown())) });
const RuleTests = v.object({ tests: v.array(v.object({ alert_rule_test: v.array(Told) })) });
const tested = v.parse(RuleTests, parse(file('ops/alerts.test.yaml'))).tests.flatMap((test) => test.alert_rule_test);

const Panel = v.object({ targets: v.optional(v.array(v.object({ expr: v.string() })), []) });
const { panels } = v.parse(v.object({ panels: v.array(Panel) }), JSON.parse(file('ops/dashboard.json')));
const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The metrics in some expressions; of a histogram, what is asked for is its parts. */
const metricsIn = (expressions: readonly string[]): Set<string> =>
  new Set(
    [...expressions.join('\n').matchAll(/\b(?:parlance|nodejs|process)_\w+/g)].map(([name]) => {
      const whole = name.replace(/_(?:bucket|sum|count)$/, '');
      return whole in METRICS ? whole : name;
    }),
  );

it('OPS-67 alerts and dashboard ask only for metrics that the server tells, and the dashboard shows all of its own', async () => {
  const { names: told } = read((await prometheusMeters(createLog('silent')).scrape()).body);
  const [alerting, shown] = [metricsIn(alerts.map(({ expr }) => expr)), metricsIn(drawn)];
  expect(alerting.size).toBeGreaterThan(10);
  expect([...alerting, ...shown].filter((name) => !told.has(name))).toEqual([]);
  expect(Object.keys(METRICS).filter((name) => !shown.has(name))).toEqual([]);
});

it.each(alerts)(
  'OPS-67 $alert has a runbook that says what to do, and a test of when it fires and when not yet',
  ({ alert, annotations: { runbook } }) => {
    const sections = file('docs/operating.md').split(/^#+ /m);
    expect(runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`);
    const section = sections.find((one) => one.startsWith(`${alert}\n`));
    for (const part of ['**Means:**', '**Look at:**', '**Do:**']) expect(section).toContain(part);
    const expected = tested.filter(({ alertname }) => alertname === alert).map((one) => one.exp_alerts?.length ?? 0);
    expect(expected.slice(0, 2)).toEqual([0, expect.toSatisfy((count) => count > 0)]);
  },
);

function promtool(...args: string[]): string {
  const { command, env } = findFetched('promtool');
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
  return stdout + stderr;
}

it('OPS-67 Prometheus takes the example of its settings and the rules, and finds that each alert fires when it should', () => {
  expect(promtool('check', 'config', 'ops/prometheus.yaml')).toContain(`${alerts.length} rules found`);
  expect(promtool('test', 'rules', 'ops/alerts.test.yaml')).toContain('SUCCESS');
});

it('OPS-67 Prometheus understands what the dashboard asks for', () => {
  const rules = drawn.map((expr, n) => ({
    record: `drawn:${n}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'x'),
  }));
  const path = join(mkdtempSync(join(testFolder, 'ops-')), 'drawn.yaml');
  // JSON is YAML, too.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'drawn', rules }] }));
  expect(promtool('check', 'rules', path)).toContain(`${drawn.length} rules found`);
});
