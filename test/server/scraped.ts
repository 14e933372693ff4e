/** Metrics of a test's server, as Prometheus reads them. */
import { serveMetrics } from '#server/app/metrics-server.ts';
import type { Services } from '#server/platform/context.ts';

export interface Scraped {
  text: string;
  /** The sum of the samples of a name that have these labels; undefined where there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
  /** Names of all that is told, as they stand in the comments. */
  names: ReadonlySet<string>;
}

export function read(text: string): Scraped {
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of = '']) => [label, of])),
    value: Number(value),
  }));
  return {
    text,
    value(name, wanted = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name && Object.entries(wanted).every(([label, value]) => sample.labels.get(label) === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
    names: new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name)),
  };
}

/** Starts to tell the metrics of a server whose settings have `METRICS_PORT: '0'`. */
export async function metricsOf(services: Services): Promise<{ url: string; scrape: () => Promise<Scraped> }> {
  const url = `http://127.0.0.1:${await serveMetrics(services)}`;
  return { url, scrape: async () => read(await (await fetch(`${url}/metrics`)).text()) };
}
