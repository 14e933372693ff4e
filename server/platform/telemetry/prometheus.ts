import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import { METRICS, type Metric, type ScrapedPart } from './catalogue.ts';
import type { Meters, Tell } from './meters.ts';
import { outsideWork } from './work.ts';

/**
 * Longest wait for a part's values, milliseconds: more than a failing readiness check takes, less than Prometheus
 * waits.
 */
const PATIENCE_MS = 3000;

interface Reader {
  part: ScrapedPart;
  read: (tell: Tell) => void | Promise<void>;
  /** Its values at the last scrape. */
  lastValues: readonly Parameters<Tell>[];
  reading: Promise<void> | undefined;
}

/** Every combination of label values; none if any label has no list of values. */
function combinations(labels: Metric['labels']): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) =>
      typeof values === 'string' ? [] : all.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

/** Metrics of the catalogue, and prom-client's default metrics of the process. */
export function prometheusMeters(log: Log, patienceMs = PATIENCE_MS): Meters {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, metric] of Object.entries<Metric>(METRICS)) {
    const { kind, help, labels, buckets } = metric;
    const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    if (kind === 'counter') {
      const counter = new Counter(options);
      counters.set(name, counter);
      // Start at 0: to Prometheus, a counter that first appears with 1 has not increased.
      for (const one of combinations(labels)) counter.inc(one, 0);
    } else if (kind === 'gauge') gauges.set(name, new Gauge(options));
    else histograms.set(name, new Histogram({ ...options, buckets: [...(buckets ?? [])] }));
  }
  // A gauge without a value must not appear as 0.
  for (const gauge of gauges.values()) gauge.remove({});
  const readers: Reader[] = [];

  const meters: Meters = {
    isOn: true,
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    addReader: (part, read) => void readers.push({ part, read, lastValues: [], reading: undefined }),
    async scrape() {
      await Promise.all(readers.map((reader) => outsideWork(() => askReader(reader))));
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };

  async function askReader(reader: Reader): Promise<void> {
    const values: Parameters<Tell>[] = [];
    // If an earlier read still runs, join it: reads must not pile up.
    const hasStarted = reader.reading === undefined;
    reader.reading ??= (async () => reader.read((...value) => void values.push(value)))().finally(() => {
      reader.reading = undefined;
    });
    let failed = false;
    try {
      await inTime(reader.reading, patienceMs);
    } catch (error) {
      failed = true;
      log.debug({ err: error, part: reader.part }, 'a part did not tell its metrics');
      meters.count('parlance_scrape_failures_total', { part: reader.part });
    }
    if (!hasStarted && !failed) return;
    // Remove the last values, so that unknown ones do not look current.
    for (const [name, labels] of reader.lastValues) gauges.get(name)?.remove(labels);
    reader.lastValues = failed ? [] : values;
    for (const [name, labels, value] of reader.lastValues) gauges.get(name)?.set(labels, value);
  }
  return meters;
}
