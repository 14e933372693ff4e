import type { CounterName, GaugeName, HistogramName, LabelsOf, ScrapedPart } from './catalogue.ts';

/** Sets the value of a gauge. */
export type Tell = <Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number) => void;

/** Counts and measures, for every area. */
export interface Meters {
  /** Whether metrics are served; if not, skip expensive measurements. */
  readonly isOn: boolean;
  /** @param by 0 makes the counter appear before its first increment */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Calls `read` for a part's gauges at each scrape. Leaves them out if it fails or takes too long. */
  addReader(part: ScrapedPart, read: (tell: Tell) => void | Promise<void>): void;
  /** All current values, in the text format of Prometheus. */
  scrape(): Promise<{ type: string; body: string }>;
}

/** For servers without metrics. */
export const silentMeters: Meters = {
  isOn: false,
  count: () => undefined,
  observe: () => undefined,
  addReader: () => undefined,
  scrape: () => Promise.resolve({ type: 'text/plain', body: '' }),
};

/** Wraps an object, and times those calls of its methods that return a promise. */
export function timed<T extends object>(
  target: T,
  ended: (call: string, seconds: number, failure: { error: unknown } | undefined) => void,
): T {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const began = performance.now();
        const tell = (failure?: { error: unknown }): void =>
          ended(String(name), (performance.now() - began) / 1000, failure);
        const answer: unknown = Reflect.apply(value, of, given);
        if (answer instanceof Promise)
          answer.then(
            () => tell(),
            (error: unknown) => tell({ error }),
          );
        return answer;
      };
    },
  });
}
