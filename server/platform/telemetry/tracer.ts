import { asPartOf, currentWork, type Work } from './work.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span of a trace that has begun. What it is told is read by others: nothing of people or tenants, no texts, no tokens. */
export interface OpenSpan {
  /** What is done in it; what that leads to is below it in the trace. */
  readonly work: Work;
  /** @param options.name where it is known only now @param options.failed by the type of what it failed with */
  end(options?: { name?: string; failed?: string | undefined; attributes?: Attributes }): void;
}

export interface Tracer {
  /** Whether anybody reads traces. */
  readonly isOn: boolean;
  /** Begins a span below that of a work. */
  start(name: string, kind: 'server' | 'consumer' | 'internal', work: Work, attributes?: Attributes): OpenSpan;
}

/** Where nothing is traced. */
export const silentTracer: Tracer = {
  isOn: false,
  start: (_name, _kind, work) => ({ work, end: () => undefined }),
};

/** Does something as a span of the work at hand. */
export async function traced<T>(tracer: Tracer, name: string, act: () => Promise<T>): Promise<T> {
  const span = tracer.start(name, 'internal', currentWork() ?? { requestId: undefined });
  try {
    const result = await asPartOf(span.work, act);
    span.end();
    return result;
  } catch (error) {
    span.end({ failed: error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}
