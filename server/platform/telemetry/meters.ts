import type { CounterName, GaugeName, HistogramName, LabelsOf, ScrapedPart } from './catalogue.ts';

/** Tells the value of a gauge. */
export type Told = <Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number) => void;

/** What every area counts and measures with. */
export interface Meters {
  /** Whether anybody can ask; else what costs something need not be measured. */
  readonly isOn: boolean;
  /** @param by 0 makes the counter known before there is anything to count */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Has a part asked for these gauges at each scrape. One that fails, or takes too long, is left out of the answer. */
  ask(part: ScrapedPart, read: (tell: Told) => void | Promise<void>): void;
  /** All that is known now, as Prometheus reads it. */
  scrape(): Promise<{ type: string; body: string }>;
}

/** Where nobody asks. */
export const silentMeters: Meters = {
  isOn: false,
  count: () => undefined,
  observe: () => undefined,
  ask: () => undefined,
  scrape: () => Promise.resolve({ type: 'text/plain', body: '' }),
};

/** The same object, with the calls of its methods being timed that answer by a promise. */
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
