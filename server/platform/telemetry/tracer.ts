import { asPartOf, currentWork, type Work } from './work.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A started span. Others read its name and attributes: put in nothing about people or tenants, no texts, no tokens. */
export interface OpenSpan {
  /** The work inside the span; its spans become children of this one. */
  readonly work: Work;
  /** @param options.name if it is only known now @param options.failed type of the error */
  end(options?: { name?: string; failed?: string | undefined; attributes?: Attributes }): void;
}

export interface Tracer {
  /** Whether traces are collected. */
  readonly isOn: boolean;
  /** Starts a child span of a work's span. */
  start(name: string, kind: 'server' | 'consumer' | 'internal', work: Work, attributes?: Attributes): OpenSpan;
}

/** For servers without traces. */
export const silentTracer: Tracer = {
  isOn: false,
  start: (_name, _kind, work) => ({ work, end: () => undefined }),
};

/** Runs `act` in a child span of the current work. */
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
