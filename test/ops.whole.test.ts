/** What operators load into Prometheus and Grafana: it must work there, and go by what the server tells. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { METRICS } from '#server/platform/telemetry/catalogue.ts';
import { prometheusMeters } from '#server/platform/telemetry/prometheus.ts';
import { readOperating, withMetrics } from '../scripts/metrics-reference.ts';
import { findFetched } from '../scripts/fetched.mjs';
import { read } from './server/scraped.ts';

const RULES = readFileSync('ops/alerts.yaml', 'utf8');
const RULE_TESTS = readFileSync('ops/alerts.test.yaml', 'utf8');
const OPERATING = readOperating();

const Panel = v.object({
  id: v.number(),
  type: v.string(),
  title: v.pipe(v.string(), v.nonEmpty()),
  gridPos: v.object({ x: v.number(), y: v.number(), w: v.number(), h: v.number() }),
  targets: v.optional(v.array(v.object({ refId: v.string(), expr: v.string() })), []),
});
const { panels } = v.parse(
  v.object({ title: v.string(), uid: v.string(), panels: v.array(Panel) }),
  JSON.parse(readFileSync('ops/dashboard.json', 'utf8')),
);
const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Each alert with its own lines. */
const alerts = RULES.split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }));

const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:parlance|nodejs|process)_\w+/g)].map(([name]) => name)),
];

/** Of a histogram, what is asked for is its parts. */
const metricOf = (name: string): string => {
  const whole = name.replace(/_(?:bucket|sum|count)$/, '');
  return whole in METRICS ? whole : name;
};

describe('OPS-67 what is asked for', () => {
  let told: ReadonlySet<string>;
  beforeAll(async () => {
    told = read((await prometheusMeters(createLog('silent')).scrape()).body).names;
  });

  it.each([
    ['ops/alerts.yaml', namesIn(RULES.replaceAll(/^ *(?:summary|runbook):.*$/gm, ''))],
    ['ops/dashboard.json', namesIn(drawn.join('\n'))],
  ])('%s names only metrics that the server tells', (_file, names) => {
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !told.has(metricOf(name)))).toEqual([]);
  });

  it('the dashboard shows every metric of the server', () => {
    const shown = new Set(namesIn(drawn.join('\n')).map(metricOf));
    expect(Object.keys(METRICS).filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe('OPS-67 every alert', () => {
  it('has a name of its own', () => {
    expect(alerts.length).toBeGreaterThan(15);
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
  });

  it.each(alerts)('$name has a runbook that is there, and that says what to do', ({ name, text }) => {
    const [, anchor = ''] = /^ +runbook: docs\/operating\.md#(\S+)$/m.exec(text) ?? [];
    const sections = new Map(
      OPERATING.split(/^#+ /m)
        .slice(1)
        .map((section) => {
          const [heading = ''] = section.split('\n');
          return [
            heading
              .toLowerCase()
              .replaceAll(/[^\w -]/g, '')
              .replaceAll(' ', '-'),
            section,
          ];
        }),
    );
    expect(anchor).toBe(name.toLowerCase());
    for (const part of ['**Means:**', '**Look at:**', '**Do:**']) expect(sections.get(anchor)).toContain(part);
    expect(text).toMatch(/severity: (?:page|ticket)\n/);
  });

  it.each(alerts)('$name is tested: when it fires, and when not yet', ({ name }) => {
    const [quiet, firing] = [...RULE_TESTS.matchAll(new RegExp(`alertname: ${name}\\n +exp_alerts:(.*)`, 'g'))];
    expect(quiet?.[1]?.trim()).toBe('[]');
    expect(firing?.[1]).toBe('');
  });
});

describe('OPS-67 Prometheus', () => {
  const promtool = (...args: string[]): string => {
    const { command, env } = findFetched('promtool');
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
    expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
    return stdout + stderr;
  };

  it('takes the example of its settings, and the rules', () => {
    expect(promtool('check', 'config', 'ops/prometheus.yaml')).toContain(`${alerts.length} rules found`);
  });

  it('finds that each alert fires when it should', () => {
    expect(promtool('test', 'rules', 'ops/alerts.test.yaml')).toContain('SUCCESS');
  });

  it('understands what the dashboard asks for', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-ops-'));
    try {
      const rules = drawn.map((expr, n) => ({
        record: `drawn:${n}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'x'),
      }));
      // JSON is YAML, too.
      writeFileSync(join(folder, 'drawn.yaml'), JSON.stringify({ groups: [{ name: 'drawn', rules }] }));
      expect(promtool('check', 'rules', join(folder, 'drawn.yaml'))).toContain(`${drawn.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('OPS-67 no two panels of the dashboard lie on one another', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const [n, { gridPos: one }] of panels.entries())
    for (const { gridPos: other, title } of panels.slice(n + 1)) {
      const apart =
        one.x + one.w <= other.x ||
        other.x + other.w <= one.x ||
        one.y + one.h <= other.y ||
        other.y + other.h <= one.y;
      expect([title, apart]).toEqual([title, true]);
    }
});

it('OPS-67 docs/operating.md has the metrics as the code has them (else: npm run reference)', () => {
  expect(OPERATING).toBe(withMetrics(OPERATING));
});
